import type { HostPriority, Pod } from '@berth/types'
import { MAX_EXTENDER_PRIORITY, MAX_NODE_SCORE } from '@berth/types'
import { ExtenderError } from '../errors.ts'
import type { CandidateNodes, ExtenderClient } from './extender-client.ts'
import { type ExtenderCallContext, observeCall } from './observe-call.ts'

/**
 * Calls the prioritizing extenders in parallel and adds up their weighted scores, on the scale of the plugins. As in
 * kube-scheduler, an extender that fails adds nothing. Scores of nodes that were not offered are ignored.
 *
 * @returns Node name -> score to add to the node's total.
 */
export async function scoreByExtenders(
  extenders: readonly ExtenderClient[],
  pod: Pod,
  nodes: CandidateNodes,
  context: ExtenderCallContext,
): Promise<ReadonlyMap<string, number>> {
  const offered = new Set(nodes.names)
  const sums = new Map<string, number>()
  const add = ({ Host, Score }: HostPriority, weight: number): void => {
    if (!offered.has(Host)) return
    sums.set(Host, (sums.get(Host) ?? 0) + Score * weight * (MAX_NODE_SCORE / MAX_EXTENDER_PRIORITY))
  }
  await Promise.all(
    extenders
      .filter((extender) => extender.hasPrioritize)
      .map(async (extender) => {
        const endTask = context.startTask?.('prioritizing_extender')
        try {
          const scores = await observeCall(extender, 'prioritize', context, () =>
            extender.prioritize(pod, nodes, context.signal),
          )
          for (const score of scores) add(score, extender.weight)
        } catch (error) {
          if (!(error instanceof ExtenderError)) throw error
        } finally {
          endTask?.()
        }
      }),
  )
  return sums
}
