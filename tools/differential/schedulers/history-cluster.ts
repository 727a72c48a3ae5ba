import { systemClock } from '@berth/clock'
import { createApiServer, serveApiServer, type ServedApi } from '@berth/simulator'
import { silentLogger, type Node, type Pod } from '@berth/types'
import type { Json } from '../json.ts'
import { collectionPaths, priorityClasses, type Change, type CollectionName } from './history.ts'

/** The PriorityClass of barrier pods: they come last and preempt no pod. */
const barrierClass = { name: 'barrier', value: -1_000_000, preemptionPolicy: 'Never' }

/** A pod of the cluster under test. */
export type StoredPod = Pod & { readonly metadata: { readonly uid: string; readonly name: string } }

/** An embedded API server for one scheduler, without controllers and kubelets. */
export interface HistoryCluster extends AsyncDisposable {
  readonly served: ServedApi
  pods(): readonly StoredPod[]
  nodes(): readonly Node[]
  /** Applies one change. @throws Error when the API server refuses it. */
  apply(change: Change): Promise<void>
  /** Deletes a pod at once, as a kubelet does that has stopped it. */
  removePod(name: string): Promise<void>
  /** Deletes every object of the collections that histories change. */
  clear(): Promise<void>
}

/** Starts an API server on loopback with the PriorityClasses of the histories. */
export async function startHistoryCluster(): Promise<HistoryCluster> {
  const apiServer = createApiServer({ clock: systemClock(), random: Math.random, log: silentLogger })
  const served = await serveApiServer(apiServer)

  /** Makes a request in this process. Returns the status code of the response. */
  const request = async (method: string, path: string, body?: Json): Promise<number> => {
    const response = await apiServer.handle({
      method,
      path,
      query: '',
      headers: { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' },
      ...(body !== undefined && { body: new TextEncoder().encode(JSON.stringify(body)) }),
    } as Parameters<typeof apiServer.handle>[0])
    const decoder = new TextDecoder()
    let text = ''
    for await (const chunk of response.body) text += decoder.decode(chunk, { stream: true })
    if (response.status >= 400 && response.status !== 404) {
      throw new Error(`${method} ${path}: the embedded API server answered ${response.status}: ${text}`)
    }
    return response.status
  }
  const list = (name: CollectionName): readonly StoredPod[] =>
    (apiServer.store.collection(name === 'poddisruptionbudgets' ? `policy/${name}` : `/${name}`)?.list() ??
      []) as unknown as readonly StoredPod[]

  const cluster: HistoryCluster = {
    served,
    pods: () => list('pods'),
    nodes: () => list('nodes') as unknown as readonly Node[],
    async apply(change) {
      const path = collectionPaths[change.in]
      if (change.verb === 'create') await request('POST', path, change.object)
      else if (change.verb === 'delete') await request('DELETE', `${path}/${change.name}`)
      else {
        const suffix = change.subresource === undefined ? '' : `/${change.subresource}`
        await request('PATCH', `${path}/${change.name}${suffix}`, change.patch)
      }
    },
    async removePod(name) {
      await request('DELETE', `${collectionPaths.pods}/${name}`, { gracePeriodSeconds: 0 })
    },
    async clear() {
      for (const { metadata } of list('pods')) await cluster.removePod(metadata.name)
      for (const name of ['poddisruptionbudgets', 'nodes'] as const) {
        for (const { metadata } of list(name)) await request('DELETE', `${collectionPaths[name]}/${metadata.name}`)
      }
    },
    [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
  }
  for (const { name, ...rest } of [...priorityClasses, barrierClass]) {
    await request('POST', '/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name }, ...rest })
  }
  return cluster
}
