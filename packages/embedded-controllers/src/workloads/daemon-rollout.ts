/** The state of a DaemonSet's pod that a rollout depends on. */
export interface DaemonPodState {
  readonly name: string
  /** Whether it was created from the current template. */
  readonly isUpdated: boolean
  readonly isAvailable: boolean
}

/** One node with the DaemonSet's pods that are not being deleted. */
export interface DaemonNodeState {
  readonly node: string
  /** Whether the DaemonSet should run there. */
  readonly shouldRun: boolean
  readonly pods: readonly DaemonPodState[]
}

/** The next step of a rolling update: pods to delete, and nodes that get another pod next to an old one. */
export interface DaemonStep {
  readonly remove: readonly string[]
  readonly surge: readonly string[]
}

/** Bounds of a rolling update. */
export interface DaemonBounds {
  readonly maxSurge: number
  readonly maxUnavailable: number
}

/**
 * Returns the next step of a rolling update. Without surge, deletes old pods within `maxUnavailable`, unavailable ones
 * first. With surge, starts new pods next to old ones, and deletes an old pod when the new one is available.
 *
 * @see kubernetes/kubernetes pkg/controller/daemon/update.go (v1.36)
 */
export function daemonStep(nodes: readonly DaemonNodeState[], bounds: DaemonBounds): DaemonStep {
  return bounds.maxSurge === 0 ? deleteStep(nodes, bounds.maxUnavailable) : surgeStep(nodes, bounds.maxSurge)
}

function deleteStep(nodes: readonly DaemonNodeState[], maxUnavailable: number): DaemonStep {
  const oldUnavailable: string[] = []
  const oldAvailable: string[] = []
  let unavailableNodes = 0
  for (const { pods } of nodes) {
    const [pod, ...others] = pods
    if (pod === undefined || others.length > 0) unavailableNodes++
    else if (pod.isUpdated) unavailableNodes += pod.isAvailable ? 0 : 1
    else if (pod.isAvailable) oldAvailable.push(pod.name)
    else {
      oldUnavailable.push(pod.name)
      unavailableNodes++
    }
  }
  const room = Math.max(0, maxUnavailable - unavailableNodes)
  return { remove: [...oldUnavailable, ...oldAvailable.slice(0, room)], surge: [] }
}

function surgeStep(nodes: readonly DaemonNodeState[], maxSurge: number): DaemonStep {
  const remove: string[] = []
  const ineligible: string[] = []
  const nodesWithoutAvailable: string[] = []
  const nodesWithAvailable: string[] = []
  let surging = 0
  let availableNodes = 0
  for (const { node, shouldRun, pods } of nodes) {
    const updated = pods.filter(({ isUpdated }) => isUpdated)
    const old = pods.filter(({ isUpdated }) => !isUpdated)
    if (updated.length > 1 || old.length > 1) {
      surging++
      continue
    }
    if ((old[0] ?? updated[0])?.isAvailable === true) availableNodes++
    if (old[0] === undefined) continue
    if (updated[0] !== undefined) {
      if (updated[0].isAvailable) remove.push(old[0].name)
      else surging++
    } else if (!shouldRun) (old[0].isAvailable ? ineligible : remove).push(old[0].name)
    else (old[0].isAvailable ? nodesWithAvailable : nodesWithoutAvailable).push(node)
  }
  const desired = nodes.filter(({ shouldRun }) => shouldRun).length
  return {
    remove: [...remove, ...ineligible.slice(0, Math.max(0, availableNodes - desired))],
    surge: [...nodesWithoutAvailable, ...nodesWithAvailable.slice(0, Math.max(0, maxSurge - surging))],
  }
}
