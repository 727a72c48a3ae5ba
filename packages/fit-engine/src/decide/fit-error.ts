/** kube-scheduler's message when the cluster has no nodes. */
export const NO_NODES_MESSAGE = 'no nodes available to schedule pods'

/**
 * Returns kube-scheduler's message for a pod that fits no node.
 *
 * @param allNodes - Number of nodes.
 * @param counts - Number of nodes by reason. The items are sorted as text, as upstream does.
 * @see kubernetes/kubernetes pkg/scheduler/framework/types.go FitError.Error (v1.36)
 */
export function fitErrorMessage(allNodes: number, counts: ReadonlyMap<string, number>): string {
  const items = [...counts].map(([reason, count]) => `${count} ${reason}`).sort()
  return `0/${allNodes} nodes are available:${items.length === 0 ? '' : ` ${items.join(', ')}.`}`
}

/** Returns kube-scheduler's message for a pod that a preFilter rejected. */
export function preFilterErrorMessage(allNodes: number, reasons: readonly string[]): string {
  const reason = reasons.join(', ')
  return `0/${allNodes} nodes are available:${reason === '' ? '' : ` ${reason}.`}`
}
