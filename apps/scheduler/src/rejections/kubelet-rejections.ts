import { backoffMs } from '@berth/clock'
import type { ClusterChange } from '@berth/cluster-view'
import { podRequest } from '@berth/resources'
import type { Clock, Logger, Pod } from '@berth/types'
import { podName } from '../queue/queued-pod.ts'
import { createBoundPods } from './bound-pods.ts'

/**
 * The nodes whose kubelet rejected a pod that this scheduler, or another replica of it, had placed. The kubelet's view of the node was different then,
 * for example because a device plugin was restarting, so pods with the same requests go to other nodes for a while.
 */
export interface KubeletRejections {
  /** Notes a rejection that a change of the cluster shows. */
  observe(change: ClusterChange): void
  /** Returns the nodes to avoid for the pod as long as another node fits; undefined for none. */
  nodesToAvoid(pod: Pod): ReadonlySet<string> | undefined
}

/** Options of {@link createKubeletRejections}. */
export interface KubeletRejectionsOptions {
  /** Returns whether the pod has a profile of this scheduler. A pod that its creator placed may have it, too. */
  readonly hasProfile: (pod: Pod) => boolean
  /** Called for each rejection with the kubelet's reason, such as `OutOfcpu`. */
  readonly onRejection: (reason: string) => void
  readonly clock: Pick<Clock, 'monotonic'>
  readonly log: Logger
}

/** Time for which a node is avoided after its first rejection, and the longest time. */
const AVOIDANCE = { initialMs: 10_000, maxMs: 300_000 }
/** The kubelet's reasons; see its `lifecycle/predicate.go` and `cm/devicemanager` (v1.36). */
const REASON = /^(?:OutOf.+|UnexpectedAdmissionError)$/

interface Avoidance {
  readonly rejections: number
  readonly untilMs: number
}

/** Creates an empty record. */
export function createKubeletRejections(options: KubeletRejectionsOptions): KubeletRejections {
  const { hasProfile, onRejection, clock, log } = options
  const wereBound = createBoundPods()
  /** Requests of the pods -> node name -> avoidance. */
  const byRequests = new Map<string, Map<string, Avoidance>>()

  /** Drops avoidances that ended long ago, so that the next rejection counts as the first. */
  const prune = (): void => {
    for (const [requests, nodes] of byRequests) {
      for (const [name, { untilMs }] of nodes) {
        if (clock.monotonic() - untilMs > AVOIDANCE.maxMs) nodes.delete(name)
      }
      if (nodes.size === 0) byRequests.delete(requests)
    }
  }

  return {
    observe(change) {
      if (!isPodChange(change) || !hasProfile(change.pod)) return
      const wasBound = wereBound.observe(change)
      if (change.kind !== 'pod-updated' || change.old?.status?.phase === 'Failed' || !wasBound) return
      const { pod } = change
      const { nodeName = '' } = pod.spec
      const { phase, reason = '' } = pod.status ?? {}
      if (phase !== 'Failed' || !REASON.test(reason) || nodeName === '') return
      prune()
      const requests = requestsOf(pod)
      const nodes = byRequests.get(requests) ?? new Map<string, Avoidance>()
      const rejections = (nodes.get(nodeName)?.rejections ?? 0) + 1
      const avoidedMs = backoffMs(rejections, AVOIDANCE)
      nodes.set(nodeName, { rejections, untilMs: clock.monotonic() + avoidedMs })
      byRequests.set(requests, nodes)
      onRejection(reason)
      log.warn({ pod: podName(pod), node: nodeName, reason, avoidedMs }, 'The kubelet rejected a pod')
    },
    nodesToAvoid(pod) {
      if (byRequests.size === 0) return undefined
      const nodes = [...(byRequests.get(requestsOf(pod)) ?? [])].filter(
        ([, { untilMs }]) => clock.monotonic() < untilMs,
      )
      return nodes.length === 0 ? undefined : new Set(nodes.map(([name]) => name))
    },
  }
}

type PodChange = Extract<ClusterChange, { readonly pod: Pod }>

function isPodChange(change: ClusterChange): change is PodChange {
  return change.kind === 'pod-added' || change.kind === 'pod-updated' || change.kind === 'pod-deleted'
}

/** Returns a text that is equal for pods with equal requests. */
function requestsOf(pod: Pod): string {
  const { milliCpu, memory, ephemeralStorage, scalar } = podRequest(pod)
  const others = [...scalar].map(([name, amount]) => `${name}=${amount}`).toSorted()
  return [milliCpu, memory, ephemeralStorage, ...others].join(' ')
}
