import { podGroupResource } from '@berth/cluster-view'
import type { ApiRequest, KubernetesObject, Pod, PodGroup, PodGroupApi } from '@berth/types'
import { resourceRefs } from '@berth/k8s-client'
import { isBound } from '@berth/resources'
import { type PodOptions, startTestCluster, type TestCluster, type TestClusterOptions } from './test-cluster.ts'

export const DONGLE = 'example.com/dongle'
export const one = { [DONGLE]: '1' }

/** Which PodGroup API a test cluster serves. */
export interface GroupApi {
  readonly api: PodGroupApi
  readonly version: string
}

/** Kubernetes 1.36 with the gate GenericWorkload. */
export const NATIVE: GroupApi = { api: 'scheduling.k8s.io', version: 'v1alpha2' }
/** Kubernetes 1.37. */
export const NATIVE_BETA: GroupApi = { api: 'scheduling.k8s.io', version: 'v1beta1' }
/** The CustomResourceDefinition of scheduler-plugins. */
export const COSCHEDULING: GroupApi = { api: 'scheduling.x-k8s.io', version: 'v1alpha1' }

const definitions = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
}

/** Serves PodGroup; the embedded cluster serves the alpha API through a definition, too. */
export async function servePodGroups({ admin, clock }: TestCluster, { api, version }: GroupApi): Promise<void> {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  await admin.client.create(definitions, {
    metadata: {
      name: `podgroups.${api}`,
      annotations: { 'api-approved.kubernetes.io': 'https://github.com/kubernetes/enhancements/pull/4671' },
    },
    spec: {
      group: api,
      scope: 'Namespaced',
      names: { plural: 'podgroups', singular: 'podgroup', kind: 'PodGroup', listKind: 'PodGroupList' },
      versions: [{ name: version, served: true, storage: true, subresources: { status: {} }, schema }],
    },
  } as KubernetesObject)
  // The scheduler looks for the API once a minute.
  await clock.advance(70_000)
}

/** Creates a gang. */
export async function createGang(
  cluster: TestCluster,
  { api, version }: GroupApi,
  name: string,
  minCount: number,
  more: object = {},
): Promise<void> {
  const spec =
    api === 'scheduling.k8s.io'
      ? { schedulingPolicy: { gang: { minCount } }, ...more }
      : { minMember: minCount, ...more }
  await createGroup(cluster, { api, version }, name, spec)
}

/** Creates a group with this spec. */
export async function createGroup(
  { admin }: TestCluster,
  { api, version }: GroupApi,
  name: string,
  spec: object,
): Promise<void> {
  const object = { metadata: { name, namespace: 'default' }, spec } as KubernetesObject
  await admin.client.create(podGroupResource(api, version), object)
}

export async function deleteGroup({ admin }: TestCluster, { api, version }: GroupApi, name: string): Promise<void> {
  await admin.client.delete(podGroupResource(api, version), { namespace: 'default', name })
}

/** Returns the conditions of a group as `Type=Status Reason: message`. */
export async function groupConditions(
  { admin }: TestCluster,
  { api, version }: GroupApi,
  name: string,
): Promise<readonly string[]> {
  const { status } = await admin.client.get<{ readonly status?: { readonly conditions?: PodGroup['conditions'] } }>(
    podGroupResource(api, version),
    { namespace: 'default', name },
  )
  return (status?.conditions ?? []).map(({ type, status: value, reason, message }) =>
    `${type}=${value} ${reason}: ${message}`.replace(/: $/, ''),
  )
}

/** The spec of a member. */
export const memberOf = (group: string): Pick<Pod['spec'], 'schedulingGroup'> => ({
  schedulingGroup: { podGroupName: group },
})

/** Starts a cluster that serves PodGroup. */
export async function startWithGroups(options: TestClusterOptions = {}, api = NATIVE): Promise<TestCluster> {
  const cluster = await startTestCluster(options)
  await servePodGroups(cluster, api)
  return cluster
}

/** Creates pods of a group that request one unit each. */
export async function createMembers(
  cluster: TestCluster,
  group: string,
  count: number,
  { from = 0, ...pod }: PodOptions & { readonly from?: number } = {},
): Promise<void> {
  for (let i = from; i < from + count; i++) {
    await cluster.createPod(`${group}-${i}`, { requests: one, spec: memberOf(group), ...pod })
  }
}

/** Returns the bound pods as `name on node`, sorted. */
export async function boundPods({ admin }: TestCluster): Promise<readonly string[]> {
  const { items } = await admin.client.list<Pod>(resourceRefs.pods)
  return items
    .filter(isBound)
    .map(({ metadata, spec }) => `${metadata.name} on ${spec.nodeName}`)
    .toSorted()
}

/** Returns the name of the pod that this request binds; undefined for another request. */
export function boundPod({ method, path }: ApiRequest): string | undefined {
  return method === 'POST' ? /\/pods\/([^/]+)\/binding$/.exec(path.split('?')[0] ?? '')?.[1] : undefined
}
