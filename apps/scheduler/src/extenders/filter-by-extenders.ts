import type { Pod, StatusCode } from '@berth/types'
import { ExtenderError } from '../errors.ts'
import type { CandidateNodes, ExtenderClient } from './extender-client.ts'
import { type ExtenderCallContext, observeCall } from './observe-call.ts'

/** The nodes that the extenders accepted, and the reasons for rejecting the others. */
export interface ExtenderFiltering {
  readonly passed: readonly string[]
  readonly failed: ReadonlyMap<string, { readonly code: StatusCode; readonly reason: string }>
}

/**
 * Calls the filtering extenders one after the other, each with the nodes that the previous one accepted, until no node
 * remains. An ignorable extender that fails is skipped.
 *
 * @param extenders - Those interested in the pod, in call order.
 * @throws ExtenderError when an extender fails that is not ignorable.
 * @see kubernetes/kubernetes pkg/scheduler/schedule_one.go findNodesThatPassExtenders (v1.36)
 */
export async function filterByExtenders(
  extenders: readonly ExtenderClient[],
  pod: Pod,
  nodes: CandidateNodes,
  context: ExtenderCallContext,
): Promise<ExtenderFiltering> {
  const failed = new Map<string, { code: StatusCode; reason: string }>()
  let passed = nodes.names
  for (const extender of extenders) {
    if (!extender.hasFilter || passed.length === 0) continue
    const offered = { ...nodes, names: passed }
    try {
      const result = await observeCall(extender, 'filter', context, () => extender.filter(pod, offered, context.signal))
      passed = result.passed
      for (const [name, failure] of result.failed) failed.set(name, failure)
    } catch (error) {
      if (!(error instanceof ExtenderError) || !extender.isIgnorable) throw error
    }
  }
  return { passed, failed }
}
