import { SNAPSHOT_PAGE_SIZE } from '@berth/cluster-view'
import { ApiError, type ApiClient, apiVersionOf, type ResourceRef } from '@berth/k8s-client'
import type { KubernetesObject } from '@berth/types'
import { servedKinds } from '../brief/find-kind.ts'
import type { ReadOptions } from '../output/read-json.ts'
import { redactCredentials } from './redact-credentials.ts'

/** The objects of a cluster, read once. */
export interface Recording {
  readonly objects: readonly KubernetesObject[]
  /** Resource types with objects that are left out on purpose, such as `secrets`. */
  readonly leftOut: readonly string[]
  /** Resource types that could not be read, with the reason: `pods: forbidden (403)`. */
  readonly unread: readonly string[]
  /** Number of credentials in custom resources that are replaced, by kind. */
  readonly redacted: ReadonlyMap<string, number>
}

/** How to read a cluster. */
export interface RecordOptions extends ReadOptions {
  /** Runs a read that may take long, and reports what it reads. */
  readonly report: <T>(doing: string, work: () => Promise<T>) => Promise<T>
}

/**
 * Resource types that a recording leaves out: Secrets, what ages or is derived from other objects, and webhooks, which the
 * simulated cluster could not reach or would call from this machine.
 */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'secrets',
  'events',
  'events.events.k8s.io',
  'leases.coordination.k8s.io',
  'endpoints',
  'endpointslices.discovery.k8s.io',
  'certificatesigningrequests.certificates.k8s.io',
  'mutatingwebhookconfigurations.admissionregistration.k8s.io',
  'validatingwebhookconfigurations.admissionregistration.k8s.io',
])
/** Groups whose objects are computed at each read. */
const COMPUTED_GROUPS = /(^|\.)metrics\.k8s\.io$/
/** The ConfigMap with the certificate authority of the source. Every cluster publishes its own. */
const ROOT_CA = 'kube-root-ca.crt'
/** The last input of `kubectl apply`. It may hold values that were later moved into a Secret, and it doubles the size of the object. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/**
 * Reads every object of a cluster that this user may list, page by page, and writes nothing. Leaves out Secrets, the token
 * references of ServiceAccounts, the copies that `kubectl apply` keeps and the credentials in custom resources; all other fields stay as they are. A type that may not be listed is empty, and `unread`
 * names it.
 *
 * @throws TransportError and CommandError BERTH_KUBECTL_TIMEOUT when the API server cannot be reached.
 */
export async function recordCluster(
  client: Pick<ApiClient, 'list' | 'raw'>,
  { report, ...options }: RecordOptions,
): Promise<Recording> {
  const objects: KubernetesObject[] = []
  const leftOut: string[] = []
  const unread: string[] = []
  for await (const { resource, ...ref } of servedKinds(client, options)) {
    if (resource.verbs?.includes('list') !== true) continue
    const name = typeName(ref)
    if (LEFT_OUT.has(name) || COMPUTED_GROUPS.test(ref.group)) {
      leftOut.push(name)
      continue
    }
    try {
      const call = { pageSize: SNAPSHOT_PAGE_SIZE, signal: options.signal, deadlineMs: options.deadline.ms }
      const { items } = await report(`Reading ${name}`, () => client.list(ref, call))
      for (const item of items) if (isRecorded(item)) objects.push(recorded(ref, item))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      unread.push(`${name}: ${error.status === 403 ? 'forbidden' : error.serverMessage} (${error.status})`)
    }
  }
  return { ...redactCredentials(objects), leftOut, unread }
}

function typeName({ plural, group }: ResourceRef): string {
  return group === '' ? plural : `${plural}.${group}`
}

function isRecorded({ metadata }: KubernetesObject): boolean {
  return metadata?.name !== ROOT_CA
}

/** The items of a list lack their type, and ServiceAccounts may name the Secrets of their tokens. */
function recorded(ref: ResourceRef, item: KubernetesObject): KubernetesObject {
  const { managedFields: _fields, annotations, ...rest } = { ...item.metadata }
  const { [LAST_APPLIED]: _applied, ...kept } = annotations ?? {}
  const metadata = { ...rest, ...(Object.keys(kept).length > 0 && { annotations: kept }) }
  const object = { ...item, apiVersion: apiVersionOf(ref), kind: ref.kind, metadata }
  if (ref.group !== '' || ref.kind !== 'ServiceAccount') return object
  const { secrets: _secrets, ...account } = object as KubernetesObject & { readonly secrets?: unknown }
  return account
}
