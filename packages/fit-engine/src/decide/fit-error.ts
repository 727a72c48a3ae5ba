/** What kube-scheduler says when there is nothing to look at. */
export const NO_NODES_MESSAGE = 'no nodes available to schedule pods'

/**
 * The sentence that users know, for a pod that no filter let onto any node.
 *
 * @param allNodes - How many nodes there are.
 * @param counts - Reason -> number of nodes that gave it; the items are sorted as text, as users are used to.
 * @see kubernetes/kubernetes pkg/scheduler/framework/types.go FitError.Error (v1.36)
 */
export function fitErrorMessage(allNodes: number, counts: ReadonlyMap<string, number>): string {
  const items = [...counts].map(([reason, count]) => `${count} ${reason}`).sort()
  return `0/${allNodes} nodes are available:${items.length === 0 ? '' : ` ${items.join(', ')}.`}`
}

/** The same for a pod that was rejected before any node was looked at. */
export function preFilterErrorMessage(allNodes: number, reasons: readonly string[]): string {
  const reason = reasons.join(', ')
  return `0/${allNodes} nodes are available:${reason === '' ? '' : ` ${reason}.`}`
}
