import { systemClock } from '@berth/clock'
import { connectCluster, loadKubeconfig, resourceRefs, type ApiClient } from '@berth/k8s-client'
import { silentLogger, type Event, type Node, type Pod } from '@berth/types'

/** Reads the cluster for the story. Every result that the story prints comes from here or from an app's endpoint. */
export interface ReadBack extends AsyncDisposable {
  readonly client: ApiClient
  nodes(): Promise<readonly Node[]>
  node(name: string): Promise<Node>
  /** Returns undefined when the pod does not exist. */
  pod(name: string): Promise<Pod | undefined>
  /** Returns the notes of a pod's events with this reason, oldest first. */
  eventNotes(podName: string, reason: string): Promise<readonly string[]>
}

/** Connects to the cluster that a kubeconfig file names. */
export function openReadBack(kubeconfigPath: string): ReadBack {
  const access = loadKubeconfig({ path: kubeconfigPath, env: {}, home: '/nonexistent' })
  const cluster = connectCluster({
    access,
    log: silentLogger,
    clock: systemClock(),
    random: Math.random,
    userAgent: 'berth-story',
  })
  const { client } = cluster
  return {
    client,
    async nodes() {
      const { items } = await client.list<Node>(resourceRefs.nodes)
      return items.toSorted((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))
    },
    node: (name) => client.get<Node>(resourceRefs.nodes, { name }),
    pod: (name) => client.find<Pod>(resourceRefs.pods, { namespace: 'default', name }),
    async eventNotes(podName, reason) {
      const { items } = await client.list<Event>(resourceRefs.events, { namespace: 'default' })
      return items
        .filter((event) => event.reason === reason && event.regarding.name === podName)
        .map(({ note = '' }) => note)
    },
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  }
}
