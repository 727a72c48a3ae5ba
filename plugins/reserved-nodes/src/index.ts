/** Nodes that offer a resource, kept for the pods that request it. */
import { MAX_NODE_SCORE, StatusCode, defineSchedulingPlugin } from '@berth/plugin-api'
import type { DecideContext, Pod, SchedulingPlugin } from '@berth/plugin-api'
import { type ReservedNodesArgs, argsSchema } from './args.ts'

/** Keeps a pod that requests none of the resources off the nodes that offer one of them. */
export const plugin: SchedulingPlugin<ReservedNodesArgs> = defineSchedulingPlugin({
  apiVersion: 'berth.dev/v1',
  name: 'reserved-nodes',
  description: 'Keeps pods that do not request a resource off the nodes that offer it.',
  argsSchema,
  create(args) {
    const { resources, mode } = args
    const isReserved = (row: number, cluster: DecideContext['cluster']): boolean =>
      resources.some((name) => cluster.allocatable(row, name) > 0n)
    if (mode === 'score') {
      return {
        preScore: (pod, _candidates, { cluster }) => (mayUse(pod, args, cluster) ? { kind: 'skip' } : undefined),
        score(_pod, { rows, count }, scores, { cluster }) {
          for (let i = 0; i < count; i++) scores[i] = isReserved(rows[i] ?? -1, cluster) ? 0 : MAX_NODE_SCORE
        },
      }
    }
    const reason = `node(s) are reserved for pods that request ${resources.join(' or ')}`
    return {
      preFilter: (pod, _candidates, { cluster }) => (mayUse(pod, args, cluster) ? { kind: 'skip' } : undefined),
      filter(_pod, { rows, count }, output, { cluster }) {
        for (let i = 0; i < count; i++) {
          // Eviction does not change what a node offers.
          if (isReserved(rows[i] ?? -1, cluster)) output.reject(i, StatusCode.UnschedulableAndUnresolvable, reason)
        }
      },
      queueingHint: (_pod, { kind }) => kind === 'node-added' || kind === 'node-changed',
    }
  },
})

function mayUse(
  pod: Pod,
  { resources, exemptNamespaces }: ReservedNodesArgs,
  cluster: DecideContext['cluster'],
): boolean {
  const { namespace = 'default', ownerReferences = [] } = pod.metadata
  if (exemptNamespaces.includes(namespace)) return true
  if (ownerReferences.some(({ kind, controller }) => kind === 'DaemonSet' && controller === true)) return true
  return resources.some((name) => cluster.requestOf(pod, name) > 0n)
}
