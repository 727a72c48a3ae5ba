import { isBound } from '@berth/resources'
import { eventually } from '@berth/testing'
import type { HistoryCluster, StoredPod } from './history-cluster.ts'
import type { SchedulerProcess } from './scheduler-process.ts'

const REST_TIMEOUT_MS = 30_000
const BARRIER_POLL_MS = 5
// Longer, because the schedulers compute all of their metrics for an answer.
const QUEUE_POLL_MS = 20
/** A node without room, whose label the barrier pods select. */
export const BARRIER_NODE = 'barrier'
const BARRIER_LABEL = 'example.com/barrier'
const FULL_NODE = /Too many pods/
const START_OF_TIME_MS = Date.UTC(2026, 0, 1)

let barriers = 0

/**
 * Waits until the scheduler has seen every change and has nothing left to do.
 *
 * In each round, a barrier shows that the scheduler has received all earlier changes of nodes and pods: a pod that selects
 * the latest label of the full barrier node fails with "Too many pods" only after both were received. Then every part of its queue
 * must be empty but for pods that wait for a change, and their number must be that of the pods without a node, since a
 * pod in flight is in no part. If pods changed during the round, another round follows.
 *
 * Between rounds, the function does what kubelets do: pods on nodes start, and terminating pods end.
 *
 * @param changed.nodes - Whether nodes may have changed since the scheduler was last at rest.
 * @throws UnmetExpectationError when the scheduler is not at rest after 30 seconds.
 */
export async function waitForRest(
  cluster: HistoryCluster,
  scheduler: SchedulerProcess,
  changed: { readonly nodes: boolean },
): Promise<void> {
  const signal = AbortSignal.timeout(5 * REST_TIMEOUT_MS)
  for (let round = 0; ; round++) {
    await actAsKubelets(cluster)
    const before = podStates(cluster)
    // The label of the node changes only where it must, because a change may make the scheduler retry pods.
    if (changed.nodes && round === 0) await labelBarrierNode(cluster)
    const barrier = await createBarrier(cluster)
    try {
      await eventually(async () => (isReached(cluster, barrier) ? true : undefined), {
        what: `${scheduler.name} to attempt ${barrier}`,
        timeoutMs: REST_TIMEOUT_MS,
        intervalMs: BARRIER_POLL_MS,
        signal,
      })
      await eventually(async () => ((await isIdle(cluster, scheduler)) ? true : undefined), {
        what: `the queue of ${scheduler.name} to become idle`,
        timeoutMs: REST_TIMEOUT_MS,
        intervalMs: QUEUE_POLL_MS,
        signal,
      })
    } finally {
      await cluster.removePod(barrier)
    }
    if (podStates(cluster) === before && !cluster.pods().some(isTerminating)) return
  }
}

function barrierLabels(cluster: HistoryCluster): Readonly<Record<string, string>> | undefined {
  return cluster.nodes().find(({ metadata }) => metadata.name === BARRIER_NODE)?.metadata.labels
}

/** Gives the barrier node a label value of its own, and creates the node where there is none. */
async function labelBarrierNode(cluster: HistoryCluster): Promise<void> {
  const labels = { [BARRIER_LABEL]: `value-${++barriers}` }
  if (barrierLabels(cluster) === undefined) {
    const status = { allocatable: { pods: '0' } }
    await cluster.apply({ verb: 'create', in: 'nodes', object: { metadata: { name: BARRIER_NODE, labels }, status } })
  } else {
    await cluster.apply({ verb: 'patch', in: 'nodes', name: BARRIER_NODE, patch: { metadata: { labels } } })
  }
}

async function createBarrier(cluster: HistoryCluster): Promise<string> {
  const name = `barrier-${++barriers}`
  const object = {
    metadata: { name },
    spec: {
      priorityClassName: 'barrier',
      nodeSelector: barrierLabels(cluster),
      containers: [{ name: 'main', image: 'registry.example/main:v1' }],
    },
  }
  await cluster.apply({ verb: 'create', in: 'pods', object })
  return name
}

function isReached(cluster: HistoryCluster, barrier: string): boolean {
  const pod = cluster.pods().find(({ metadata }) => metadata.name === barrier)
  return (
    pod?.status?.conditions?.some(({ type, message }) => type === 'PodScheduled' && FULL_NODE.test(message ?? '')) ??
    false
  )
}

async function isIdle(cluster: HistoryCluster, scheduler: SchedulerProcess): Promise<boolean> {
  const sizes = await scheduler.queueSizes()
  return (
    sizes.active === 0 && sizes.backoff === 0 && sizes.waiting === cluster.pods().filter((pod) => !isBound(pod)).length
  )
}

/** Returns what decides whether the scheduler has changed something. */
function podStates(cluster: HistoryCluster): string {
  return JSON.stringify(
    cluster
      .pods()
      .filter(({ metadata }) => !metadata.name.startsWith('barrier-'))
      .map(({ metadata, spec, status }) => [
        metadata.uid,
        metadata.deletionTimestamp,
        spec.nodeName,
        status?.nominatedNodeName,
      ]),
  )
}

async function actAsKubelets(cluster: HistoryCluster): Promise<void> {
  for (const pod of cluster.pods()) {
    const { name } = pod.metadata
    if (isTerminating(pod)) await cluster.removePod(name)
    else if (isBound(pod) && pod.status?.startTime === undefined) {
      // Start times that differ and follow from the history, because preemption compares them.
      const startTime = new Date(START_OF_TIME_MS + 1_000 * Number(/\d+$/.exec(name)?.[0] ?? 0)).toISOString()
      const status = { phase: 'Running', startTime: startTime.replace('.000', '') }
      await cluster.apply({ verb: 'patch', in: 'pods', name, subresource: 'status', patch: { status } })
    }
  }
}

function isTerminating({ metadata }: StoredPod): boolean {
  return metadata.deletionTimestamp !== undefined
}
