import type { Decision, NodeRejection } from './decision.ts'

/**
 * Returns a decision in which no node is feasible. It does not group equal rejections: each node is a group of its own.
 *
 * @param rejected - By node name.
 */
export function decisionOfRejections(
  rejected: ReadonlyMap<string, NodeRejection>,
  { message, funnel }: Pick<Decision, 'message' | 'funnel'>,
): Decision {
  return {
    feasible: [],
    feasibleCount: 0,
    rejected,
    get rejectionGroups() {
      return [...rejected.values()].map(({ code, rejection: { plugin, reasons } }) => ({
        plugin,
        code,
        reasons,
        count: 1,
      }))
    },
    rejectedNodeGroups: () =>
      Array.from(rejected, ([name, { code, rejection }]) => ({ code, rejection, nodeNames: [name] })),
    rejectionCode: (nodeName) => rejected.get(nodeName)?.code,
    totals: new Map(),
    totalsOf: (nodeNames) => new Float64Array(nodeNames.length),
    best: [],
    pickBest: () => undefined,
    scores: [],
    funnel,
    release: () => {},
    message,
  }
}
