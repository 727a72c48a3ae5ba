import { StatusCode } from '@berth/types'
import type { FilterOutput, PreEnqueueResult, PreFilterResult, PreScoreResult, QueuedPod } from '@berth/types'
import type { SchedulingHooks } from '../contract/scheduling-plugin.ts'
import { hookNames } from '../hosting/hook-names.ts'
import { isThenable } from '../checks/describe-value.ts'
import { guardEffectHooks } from './guard-effects.ts'
import { invalidResult } from '../checks/invalid-result.ts'
import { ANNOTATIONS, areBindingAnnotations } from '../checks/binding-annotations.ts'
import { areReasons, isRejection } from '../checks/is-rejection.ts'

/**
 * Returns the hooks with checks of their results. Errors name the hook, the node, the value received and the value
 * expected; the host adds the name of the plugin. Binds each hook, so that the plugin may be a class instance.
 */
export function guardSchedulingHooks(hooks: SchedulingHooks): SchedulingHooks {
  const bound = Object.fromEntries(
    hookNames.flatMap((name) => {
      const hook: unknown = hooks[name]
      return typeof hook === 'function' ? [[name, hook.bind(hooks) as unknown]] : []
    }),
  ) as SchedulingHooks
  return { ...bound, ...guardDecideHooks(hooks), ...guardEffectHooks(hooks) }
}

function guardDecideHooks(hooks: SchedulingHooks): SchedulingHooks {
  const preEnqueue = hooks.preEnqueue?.bind(hooks)
  const queueingHint = hooks.queueingHint?.bind(hooks)
  const queueSort = hooks.queueSort?.bind(hooks)
  const preFilter = hooks.preFilter?.bind(hooks)
  const filter = hooks.filter?.bind(hooks)
  const preScore = hooks.preScore?.bind(hooks)
  const score = hooks.score?.bind(hooks)
  const normalizeScore = hooks.normalizeScore?.bind(hooks)
  const bindingAnnotations = hooks.bindingAnnotations?.bind(hooks)
  return {
    ...(preEnqueue !== undefined && {
      preEnqueue(pod) {
        const result: unknown = preEnqueue(pod)
        if (isPreEnqueueResult(result)) return result
        throw invalidResult({
          what: 'preEnqueue returned',
          value: result,
          expected: 'undefined or { kind: "reject", reasons }',
        })
      },
    }),
    ...(queueingHint !== undefined && {
      queueingHint(pod, event) {
        const result: unknown = queueingHint(pod, event)
        if (typeof result === 'boolean') return result
        throw invalidResult({ what: 'queueingHint returned', value: result, expected: 'true or false' })
      },
    }),
    ...(queueSort !== undefined && {
      queueSort(a, b) {
        const order: unknown = queueSort(a, b)
        if (typeof order === 'number' && !Number.isNaN(order)) return order
        const where = ` for pods ${podOf(a)} and ${podOf(b)}`
        const expected = 'a number: negative when the first pod is scheduled first'
        throw invalidResult({ what: 'queueSort returned', value: order, where, expected })
      },
    }),
    ...(preFilter !== undefined && {
      preFilter(pod, candidates, context) {
        const result: unknown = preFilter(pod, candidates, context)
        if (isPreFilterResult(result)) return result
        const expected =
          'undefined, { kind: "skip" }, { kind: "narrow", nodeNames } or { kind: "reject", code, reasons }'
        throw invalidResult({ what: 'preFilter returned', value: result, expected })
      },
    }),
    ...(filter !== undefined && {
      filter(pod, candidates, output, context) {
        const nodeOf = (i: number): string => context.cluster.nodeName(candidates.rows[i] ?? -1)
        const result: unknown = filter(pod, candidates, checkedOutput(output, candidates.count, nodeOf), context)
        // A filter that returns its verdict instead of calling output.reject would reject no node.
        if (result === undefined) return
        const expected = 'nothing: a batch filter is synchronous and rejects with output.reject'
        throw invalidResult({ what: 'filter returned', value: result, expected })
      },
    }),
    ...(preScore !== undefined && {
      preScore(pod, candidates, context) {
        const result: unknown = preScore(pod, candidates, context)
        if (isPreScoreResult(result)) return result
        throw invalidResult({ what: 'preScore returned', value: result, expected: 'undefined or { kind: "skip" }' })
      },
    }),
    ...(score !== undefined && {
      score(pod, candidates, scores, context) {
        refusePromise('score', score(pod, candidates, scores, context))
        if (normalizeScore !== undefined) return
        refuseNotANumber('score', scores, candidates.count, (i) => context.cluster.nodeName(candidates.rows[i] ?? -1))
      },
    }),
    ...(normalizeScore !== undefined && {
      normalizeScore(pod, candidates, scores, context) {
        refusePromise('normalizeScore', normalizeScore(pod, candidates, scores, context))
        const nodeOf = (i: number): string => context.cluster.nodeName(candidates.rows[i] ?? -1)
        refuseNotANumber('normalizeScore', scores, candidates.count, nodeOf)
      },
    }),
    ...(bindingAnnotations !== undefined && {
      bindingAnnotations(pod, row, context) {
        const result: unknown = bindingAnnotations(pod, row, context)
        if (areBindingAnnotations(result)) return result
        const where = ` for node ${context.cluster.nodeName(row)}`
        throw invalidResult({ what: 'bindingAnnotations returned', value: result, where, expected: ANNOTATIONS })
      },
    }),
  }
}

function isPreEnqueueResult(result: unknown): result is PreEnqueueResult {
  if (result === undefined) return true
  const { kind, reasons } = (result ?? {}) as { readonly kind?: unknown; readonly reasons?: unknown }
  return kind === 'reject' && areReasons(reasons)
}

function podOf({ pod: { metadata } }: QueuedPod): string {
  return `${metadata.namespace ?? 'default'}/${metadata.name ?? ''}`
}

function isPreFilterResult(result: unknown): result is PreFilterResult {
  if (result === undefined) return true
  if (typeof result !== 'object' || result === null) return false
  const { kind, nodeNames } = result as { readonly kind?: unknown; readonly nodeNames?: unknown }
  if (kind === 'narrow') return nodeNames instanceof Set
  return kind === 'skip' || (kind === 'reject' && isRejection(result))
}

function isPreScoreResult(result: unknown): result is PreScoreResult {
  if (result === undefined) return true
  return typeof result === 'object' && result !== null && 'kind' in result && result.kind === 'skip'
}

/** The engine counts the first two as verdicts on the node; an Error fails the decision. */
const rejectionCodes: ReadonlySet<unknown> = new Set([
  StatusCode.Unschedulable,
  StatusCode.UnschedulableAndUnresolvable,
  StatusCode.Error,
])

function checkedOutput(output: FilterOutput, count: number, nodeOf: (i: number) => string): FilterOutput {
  return {
    codes: output.codes,
    reject(i, code, ...reasons) {
      // The arrays of the engine ignore writes to other positions, and keep the lowest eight bits of a code.
      if (!Number.isInteger(i) || i < 0 || i >= count) {
        const expected = `a position from 0 to ${count - 1}`
        throw invalidResult({ what: 'filter rejected candidate', value: i, expected })
      }
      if (!rejectionCodes.has(code)) {
        throw invalidResult({
          what: 'filter rejected with',
          value: code,
          where: ` for node ${nodeOf(i)}`,
          expected: 'a code of StatusCode that rejects: Unschedulable, UnschedulableAndUnresolvable or Error',
        })
      }
      if (!areReasons(reasons)) {
        throw invalidResult({
          what: 'filter rejected with',
          value: reasons.length === 1 ? reasons[0] : reasons,
          where: ` for node ${nodeOf(i)}`,
          expected: 'at least one reason, each a text that is not empty',
        })
      }
      output.reject(i, code, ...reasons)
    },
  }
}

function refusePromise(hook: string, result: unknown): void {
  if (!isThenable(result)) return
  throw invalidResult({ what: `${hook} returned`, value: result, expected: `nothing: ${hook} is synchronous` })
}

function refuseNotANumber(hook: string, scores: Float64Array, count: number, nodeOf: (i: number) => string): void {
  for (let i = 0; i < count; i++) {
    if (!Number.isNaN(scores[i])) continue
    throw invalidResult({
      what: `${hook} gave`,
      value: scores[i],
      where: ` to ${nodeOf(i)}`,
      expected: 'a number from 0 to 100',
    })
  }
}
