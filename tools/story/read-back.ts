import { systemClock } from '@berth/clock'
import { connectCluster, loadKubeconfig, resourceRefs, type ApiClient } from '@berth/k8s-client'
import { silentLogger, type Event, type Node, type Pod } from '@berth/types'

/** The story's own eyes: everything that it prints comes from here or from an app's endpoint. */
export interface ReadBack extends AsyncDisposable {
  readonly client: ApiClient
  nodes(): Promise<readonly Node[]>
  node(name: string): Promise<Node>
  /** undefined when it does not exist. */
  pod(name: string): Promise<Pod | undefined>
  /** Notes of the events that regard a pod, oldest first. */
  eventNotes(podName: string, reason: string): Promise<readonly string[]>
}

/** Connects to the cluster of a kubeconfig file. */
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
