import type { ApiHandler } from '@berth/types'
import { callJson } from './call-json.ts'

/** The same server, asked by somebody else: what roles do not allow is refused where the server has RBAC. */
export function actingAs(handle: ApiHandler, username: string, groups: readonly string[] = []): ApiHandler {
  const headers = {
    'impersonate-user': username,
    ...(groups.length === 0 ? {} : { 'impersonate-group': groups.join(', ') }),
  }
  return (request) => handle({ ...request, headers: { ...request.headers, ...headers } })
}

/** The same server, asked with a bearer token. */
export function withToken(handle: ApiHandler, token: string): ApiHandler {
  return (request) => handle({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } })
}

/**
 * A token of a service account, as the kubelet gives it to pods.
 *
 * @param pod - Pod that the token is bound to; with it the token says on which node it is used.
 * @throws Error where there is no such account.
 */
export async function serviceAccountToken(
  handle: ApiHandler,
  namespace: string,
  name: string,
  pod?: string,
): Promise<string> {
  const spec = pod === undefined ? {} : { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: pod } }
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec }
  const answer = await callJson(handle, 'POST', path, { body })
  if (answer.status !== 201) throw new Error(`token of ${namespace}/${name}: ${JSON.stringify(answer.body)}`)
  return answer.body.status.token
}
