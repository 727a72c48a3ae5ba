import type { HostPriority, Pod, StatusCode } from '@berth/types'
import { MAX_EXTENDER_PRIORITY, MAX_NODE_SCORE } from '@berth/types'
import { ExtenderError } from '../errors.ts'
import type { CandidateNodes, ExtenderClient } from './extender-client.ts'

/** Told of every call, for metrics and logs. */
export type ExtenderObserver = (call: {
  readonly extender: ExtenderClient
  readonly verb: 'filter' | 'prioritize' | 'preempt' | 'bind'
  readonly durationMs: number
  /** Undefined: the call succeeded. */
  readonly error?: unknown
}) => void

/** What the extenders left of the nodes. */
export interface ExtenderFiltering {
  readonly passed: readonly string[]
  readonly failed: ReadonlyMap<string, { readonly code: StatusCode; readonly reason: string }>
}

/** What a question to the extenders needs besides its subject. */
export interface ExtenderQuestion {
  readonly signal: AbortSignal
  readonly monotonic: () => number
  readonly observe: ExtenderObserver
}

/** Runs one call and tells how it went. */
export async function observed<T>(
  extender: ExtenderClient,
  verb: 'filter' | 'prioritize' | 'preempt' | 'bind',
  { monotonic, observe }: ExtenderQuestion,
  call: () => Promise<T>,
): Promise<T> {
  const startMs = monotonic()
  try {
    const answer = await call()
    observe({ extender, verb, durationMs: monotonic() - startMs })
    return answer
  } catch (error) {
    observe({ extender, verb, durationMs: monotonic() - startMs, error })
    throw error
  }
}

/**
 * Asks the filtering extenders one after the other, each about what the one before left, until none is left. One that
 * fails is passed over when it is ignorable.
 *
 * @param extenders - Those interested in the pod, in call order.
 * @throws ExtenderError when one fails that is not ignorable.
 * @see kubernetes/kubernetes pkg/scheduler/schedule_one.go findNodesThatPassExtenders (v1.36)
 */
export async function filterByExtenders(
  extenders: readonly ExtenderClient[],
  pod: Pod,
  nodes: CandidateNodes,
  question: ExtenderQuestion,
): Promise<ExtenderFiltering> {
  const failed = new Map<string, { code: StatusCode; reason: string }>()
  let passed = nodes.names
  for (const extender of extenders) {
    if (!extender.filters || passed.length === 0) continue
    const asked = { ...nodes, names: passed }
    try {
      const verdict = await observed(extender, 'filter', question, () => extender.filter(pod, asked, question.signal))
      passed = verdict.passed
      for (const [name, failure] of verdict.failed) failed.set(name, failure)
    } catch (error) {
      if (!(error instanceof ExtenderError) || !extender.isIgnorable) throw error
    }
  }
  return { passed, failed }
}

/**
 * Asks the prioritizing extenders at once and adds their scores, brought to the scale of the plugins. One that fails
 * adds nothing, as in kube-scheduler; names that were not asked about are passed over.
 *
 * @returns Node name -> what is to be added to its total.
 */
export async function scoreByExtenders(
  extenders: readonly ExtenderClient[],
  pod: Pod,
  nodes: CandidateNodes,
  question: ExtenderQuestion,
): Promise<ReadonlyMap<string, number>> {
  const asked = new Set(nodes.names)
  const sums = new Map<string, number>()
  const add = ({ Host, Score }: HostPriority, weight: number): void => {
    if (!asked.has(Host)) return
    sums.set(Host, (sums.get(Host) ?? 0) + Score * weight * (MAX_NODE_SCORE / MAX_EXTENDER_PRIORITY))
  }
  await Promise.all(
    extenders
      .filter((extender) => extender.prioritizes)
      .map(async (extender) => {
        try {
          const scores = await observed(extender, 'prioritize', question, () =>
            extender.prioritize(pod, nodes, question.signal),
          )
          for (const score of scores) add(score, extender.weight)
        } catch (error) {
          if (!(error instanceof ExtenderError)) throw error
        }
      }),
  )
  return sums
}
