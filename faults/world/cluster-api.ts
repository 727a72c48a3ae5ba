import { callJson } from '@berth/simulator/testing'
import type { ApiHandler, ApiRequest, ExtendedResourceSpec, Node, Pod } from '@berth/types'

const PODS = '/api/v1/namespaces/default/pods'
const OBJECTS = '/apis/berth.dev/v1alpha1/extendedresources'

/** The users of the cluster: people, workload controllers and other programs. Calls about an object that is gone do nothing. */
export interface ClusterApi {
  create(path: string, object: object): Promise<void>
  pods(): Promise<readonly Pod[]>
  createPod(pod: object): Promise<void>
  deletePod(name: string, options?: { readonly isForced: boolean }): Promise<void>
  bindPod(name: string, node: string): Promise<void>
  nodes(): Promise<readonly Node[]>
  deleteNode(name: string): Promise<void>
  patchNode(name: string, patch: object, subresource?: 'status'): Promise<void>
  declare(name: string, spec: ExtendedResourceSpec): Promise<void>
  changeUnits(name: string, units: number): Promise<void>
  withdraw(name: string): Promise<void>
  /** Records the devices that exist: `{"NODE": {"RESOURCE": {"ID": isHealthy}}}`. */
  recordHardware(devices: object): Promise<void>
}

/** Creates the users of a server. */
export function createClusterApi(handle: ApiHandler): ClusterApi {
  const headers = { 'user-agent': 'workload' }

  async function call(method: ApiRequest['method'], path: string, body?: object): Promise<unknown> {
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const answer = await callJson(handle, method, path, { headers, contentType, ...(body !== undefined && { body }) })
    if (answer.status < 300) return answer.body
    if (answer.status === 404 || answer.status === 409) return undefined
    throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  }
  const listOf = async <T>(path: string): Promise<readonly T[]> =>
    ((await call('GET', path)) as { readonly items: readonly T[] }).items

  return {
    create: async (path, object) => void (await call('POST', path, object)),
    pods: () => listOf<Pod>(PODS),
    createPod: async (pod) => void (await call('POST', PODS, pod)),
    async deletePod(name, { isForced } = { isForced: false }) {
      await call('DELETE', `${PODS}/${name}`, isForced ? { gracePeriodSeconds: 0 } : undefined)
    },
    async bindPod(name, node) {
      await call('POST', `${PODS}/${name}/binding`, { metadata: { name }, target: { kind: 'Node', name: node } })
    },
    nodes: () => listOf<Node>('/api/v1/nodes'),
    deleteNode: async (name) => void (await call('DELETE', `/api/v1/nodes/${name}`)),
    async patchNode(name, patch, subresource) {
      await call('PATCH', `/api/v1/nodes/${name}${subresource === undefined ? '' : `/${subresource}`}`, patch)
    },
    declare: async (name, spec) =>
      void (await call('POST', OBJECTS, {
        metadata: { name },
        apiVersion: 'berth.dev/v1alpha1',
        kind: 'ExtendedResource',
        spec,
      })),
    changeUnits: async (name, units) => void (await call('PATCH', `${OBJECTS}/${name}`, { spec: { units } })),
    withdraw: async (name) => void (await call('DELETE', `${OBJECTS}/${name}`)),
    async recordHardware(devices) {
      const data = { devices: JSON.stringify(devices) }
      const path = '/api/v1/namespaces/kube-system/configmaps'
      const patched = await call('PATCH', `${path}/hardware`, { data })
      if (patched === undefined) await call('POST', path, { metadata: { name: 'hardware' }, data })
    },
  }
}
