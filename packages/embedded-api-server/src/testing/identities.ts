import type { ApiHandler } from '@berth/types'
import { callJson } from './call-json.ts'

/** Returns a handler that impersonates a user. A server with RBAC refuses what the user's roles do not allow. */
export function actingAs(handle: ApiHandler, username: string, groups: readonly string[] = []): ApiHandler {
  const headers = {
    'impersonate-user': username,
    ...(groups.length === 0 ? {} : { 'impersonate-group': groups.join(', ') }),
  }
  return (request) => handle({ ...request, headers: { ...request.headers, ...headers } })
}

/** Returns a handler that sends a bearer token. */
export function withToken(handle: ApiHandler, token: string): ApiHandler {
  return (request) => handle({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } })
}

/**
 * Returns a token of a service account, like those that the kubelet gives to pods.
 *
 * @param pod - Pod that the token is bound to. The token then names the pod's node.
 * @throws Error when the account does not exist.
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
  const response = await callJson(handle, 'POST', path, { body })
  if (response.status !== 201)
    throw new Error(`cannot create a token for service account ${namespace}/${name}: ${JSON.stringify(response.body)}`)
  return response.body.status.token
}
