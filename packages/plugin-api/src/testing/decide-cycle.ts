import { seededRandom } from '@berth/clock/testing'
import { MAX_NODE_SCORE, StatusCode } from '@berth/types'
import type { Candidates, DecideContext, DecideHooks, Pod } from '@berth/types'
import { withoutAmbientWorld } from './ambient-guard.ts'
import type { SampleCluster } from './sample-cluster.ts'

/** The decisions of one cycle, comparable as data. */
export interface CycleRecord {
  readonly preFilter: unknown
  /** By node name: code and reasons of rejected nodes. */
  readonly rejected: Readonly<Record<string, { readonly code: number; readonly reasons: readonly string[] }>>
  readonly preScore: unknown
  /** By node name, after normalizeScore. */
  readonly scores: Readonly<Record<string, number>>
  /** By name of the node that passed: what bindingAnnotations returned for it. */
  readonly annotations: Readonly<Record<string, unknown>>
}

/** Options of {@link decideCycle}. */
export interface DecideCycleOptions {
  readonly hooks: DecideHooks
  readonly cluster: SampleCluster
  readonly pod: Pod
  readonly rows: readonly number[]
  readonly seed: number
  readonly nowMs: number
}

const spare = 4
const canary = 77

/**
 * Runs the decide hooks once, as a host does, and checks each rule that one call can break. Then overwrites the candidate
 * rows, so that a plugin that kept them reads invalid rows.
 *
 * @throws Error with a sentence about the plugin ("score gave 140 to node-a, above 100").
 */
export function decideCycle(options: DecideCycleOptions): CycleRecord {
  const { hooks, cluster, seed, nowMs } = options
  const state = new Map<string, unknown>()
  const random = seededRandom(seed)

  const call = <T>(hook: keyof DecideHooks, candidates: Candidates, run: (context: DecideContext) => T): T => {
    const { reader, close } = cluster.open(candidates)
    const before = candidates.rows.join()
    const answer = withoutAmbientWorld(() => run({ cluster: reader, nowMs, random, state }))
    close()
    if (candidates.rows.join() !== before) throw new Error(`${hook} changed the candidate rows`)
    if (answer instanceof Promise) throw new Error(`${hook} returned a promise; decide hooks are synchronous`)
    return answer
  }

  const all = candidatesOf(options.rows)
  const preFilter = call('preFilter', all, (context) => hooks.preFilter?.(options.pod, all, context))
  const { rejected, passed } = filterPhase(options, preFilter, all, call)
  const feasible = candidatesOf(passed)
  const preScore = call('preScore', feasible, (context) => hooks.preScore?.(options.pod, feasible, context))
  const scores = preScore?.kind === 'skip' ? {} : scorePhase(options, feasible, call)
  const annotations = annotationPhase(options, passed, call)
  all.rows.fill(-1)
  feasible.rows.fill(-1)
  return { preFilter, rejected, preScore, scores, annotations }
}

type Call = <T>(hook: keyof DecideHooks, candidates: Candidates, run: (context: DecideContext) => T) => T

function candidatesOf(rows: readonly number[]): Candidates {
  // The array is longer than the number of candidates, as in a host.
  return { rows: Int32Array.from([...rows, ...Array.from({ length: spare }, () => -1)]), count: rows.length }
}

function filterPhase(
  { hooks, cluster, pod, rows }: DecideCycleOptions,
  preFilter: ReturnType<NonNullable<DecideHooks['preFilter']>>,
  candidates: Candidates,
  call: Call,
): { readonly rejected: CycleRecord['rejected']; readonly passed: readonly number[] } {
  if (preFilter?.kind === 'reject') {
    checkRejection('preFilter', preFilter.code, preFilter.reasons)
    return { rejected: {}, passed: [] }
  }
  if (preFilter?.kind === 'skip') return { rejected: {}, passed: rows }
  const codes = new Uint8Array(candidates.count + spare).fill(canary, candidates.count)
  const reasonsByIndex = new Map<number, readonly string[]>()
  const reject = (i: number, code: StatusCode, ...reasons: readonly string[]): void => {
    checkRejection('filter', code, reasons)
    codes[i] = code
    reasonsByIndex.set(i, reasons)
  }
  call('filter', candidates, (context) => hooks.filter?.(pod, candidates, { codes, reject }, context))
  checkSpare('filter', codes, candidates.count)
  const rejected: Record<string, { code: number; reasons: readonly string[] }> = {}
  const passed: number[] = []
  for (const [i, row] of rows.entries()) {
    const code = codes[i] ?? 0
    const reasons = reasonsByIndex.get(i)
    if (code === StatusCode.Success) passed.push(row)
    else if (reasons === undefined) throw new Error('filter wrote a code without a reason; use output.reject')
    else rejected[cluster.reader.nodeName(row)] = { code, reasons }
  }
  return { rejected, passed }
}

function scorePhase(
  { hooks, cluster, pod }: DecideCycleOptions,
  candidates: Candidates,
  call: Call,
): CycleRecord['scores'] {
  if (hooks.score === undefined) return {}
  const scores = new Float64Array(candidates.count + spare).fill(canary, candidates.count)
  call('score', candidates, (context) => hooks.score?.(pod, candidates, scores, context))
  call('normalizeScore', candidates, (context) => hooks.normalizeScore?.(pod, candidates, scores, context))
  checkSpare('score', scores, candidates.count)
  const entries = [...scores.subarray(0, candidates.count)].map((score, i): readonly [string, number] => {
    const name = cluster.reader.nodeName(candidates.rows[i] ?? -1)
    if (!(score >= 0 && score <= MAX_NODE_SCORE)) throw new Error(`score gave ${score} to ${name}, outside 0..100`)
    return [name, score]
  })
  return Object.fromEntries(entries)
}

function annotationPhase(
  { hooks, cluster, pod }: DecideCycleOptions,
  passed: readonly number[],
  call: Call,
): CycleRecord['annotations'] {
  if (hooks.bindingAnnotations === undefined) return {}
  return Object.fromEntries(
    passed.map((row) => [
      cluster.reader.nodeName(row),
      call('bindingAnnotations', candidatesOf([row]), (context) =>
        hooks.bindingAnnotations?.(pod, row, { ...context, state: new Map() }),
      ),
    ]),
  )
}

function checkRejection(hook: string, code: StatusCode, reasons: readonly string[]): void {
  const legal: readonly StatusCode[] = [StatusCode.Unschedulable, StatusCode.UnschedulableAndUnresolvable]
  if (!legal.includes(code)) throw new Error(`${hook} rejected with code ${code}, which is not a rejection`)
  if (reasons.length === 0 || reasons.some((reason) => typeof reason !== 'string' || reason === '')) {
    throw new Error(`${hook} rejected a node without a readable reason`)
  }
}

function checkSpare(hook: string, output: Uint8Array | Float64Array, count: number): void {
  if (output.subarray(count).some((value) => value !== canary)) {
    throw new Error(`${hook} wrote beyond the candidates; it may write only to positions below count`)
  }
}
