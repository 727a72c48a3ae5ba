/** A pod of a DaemonSet, as far as its rollout matters. */
export interface DaemonPodState {
  readonly name: string
  /** Made from the present template. */
  readonly isFresh: boolean
  readonly isAvailable: boolean
}

/** One node and the pods there that are not being deleted. */
export interface DaemonNodeState {
  readonly node: string
  /** Whether the DaemonSet belongs there. */
  readonly runs: boolean
  readonly pods: readonly DaemonPodState[]
}

/** Names of pods to delete, and nodes that get another pod beside an old one. */
export interface DaemonStep {
  readonly remove: readonly string[]
  readonly surge: readonly string[]
}

/** How far a rolling update may go at a time. */
export interface DaemonBounds {
  readonly maxSurge: number
  readonly maxUnavailable: number
}

/**
 * What a rolling update does next. Without surge it deletes old pods, those that do no good first, within
 * `maxUnavailable`; with surge it starts new pods beside old ones and deletes an old one when the new one is available.
 *
 * @see kubernetes/kubernetes pkg/controller/daemon/update.go (v1.36)
 */
export function daemonStep(nodes: readonly DaemonNodeState[], bounds: DaemonBounds): DaemonStep {
  return bounds.maxSurge === 0 ? deleteStep(nodes, bounds.maxUnavailable) : surgeStep(nodes, bounds.maxSurge)
}

function deleteStep(nodes: readonly DaemonNodeState[], maxUnavailable: number): DaemonStep {
  const useless: string[] = []
  const candidates: string[] = []
  let unavailable = 0
  for (const { pods } of nodes) {
    const [pod, ...others] = pods
    if (pod === undefined || others.length > 0) unavailable++
    else if (pod.isFresh) unavailable += pod.isAvailable ? 0 : 1
    else if (pod.isAvailable) candidates.push(pod.name)
    else {
      useless.push(pod.name)
      unavailable++
    }
  }
  const room = Math.max(0, maxUnavailable - unavailable)
  return { remove: [...useless, ...candidates.slice(0, room)], surge: [] }
}

function surgeStep(nodes: readonly DaemonNodeState[], maxSurge: number): DaemonStep {
  const remove: string[] = []
  const leaving: string[] = []
  const useless: string[] = []
  const candidates: string[] = []
  let surging = 0
  let available = 0
  for (const { node, runs, pods } of nodes) {
    const fresh = pods.filter(({ isFresh }) => isFresh)
    const old = pods.filter(({ isFresh }) => !isFresh)
    if (fresh.length > 1 || old.length > 1) {
      surging++
      continue
    }
    if ((old[0] ?? fresh[0])?.isAvailable === true) available++
    if (old[0] === undefined) continue
    if (fresh[0] !== undefined) {
      if (fresh[0].isAvailable) remove.push(old[0].name)
      else surging++
    } else if (!runs) (old[0].isAvailable ? leaving : remove).push(old[0].name)
    else (old[0].isAvailable ? candidates : useless).push(node)
  }
  const desired = nodes.filter(({ runs }) => runs).length
  return {
    remove: [...remove, ...leaving.slice(0, Math.max(0, available - desired))],
    surge: [...useless, ...candidates.slice(0, Math.max(0, maxSurge - surging))],
  }
}
