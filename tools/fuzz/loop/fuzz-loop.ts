import type { Random } from '@berth/types'
import { setImmediate } from 'node:timers/promises'
import type { CoverageCounters } from '../instrumentation/coverage-counters.ts'
import { createMutator } from '../mutation/create-mutator.ts'
import type { FuzzTarget } from '../target/fuzz-target.ts'
import { ContractBreach, runInput, type Outcome } from '../target/run-input.ts'
import { minimise } from './minimise.ts'

/** An input that breaks the contract. */
export interface Finding {
  readonly input: Uint8Array
  readonly reason: string
  readonly stack: string
}

/** Counts of a run so far. */
export interface FuzzCounts {
  executions: number
  valid: number
  refused: number
}

/** Result of {@link fuzzLoop}. */
export interface FuzzResult extends Readonly<FuzzCounts> {
  /** Statements and branches of the instrumented files that ran, and all of them. */
  readonly covered: number
  readonly total: number
  readonly findings: readonly Finding[]
  /** Number of inputs from which changed ones were made. */
  readonly poolSize: number
  /** Changed inputs that ran a statement or branch for the first time. */
  readonly discoveries: readonly Uint8Array[]
}

/** Time after which other events get a turn. */
const TURN_MS = 50

/** Dependencies of {@link fuzzLoop}. */
export interface FuzzLoopOptions {
  readonly seeds: readonly Uint8Array[]
  readonly random: Random
  readonly counters: CoverageCounters
  /** Returns words of the instrumented sources. */
  readonly literals: () => readonly string[]
  readonly isStopped: () => boolean
  /** Findings after which the target is given up. */
  readonly maxFindings: number
  /** Called with each input before it runs, so that an input that does not return is known. */
  readonly onInput: (input: Uint8Array) => void
}

/**
 * Runs a target on its seeds and then on changed inputs until it is stopped. An input that reaches a statement or a branch for the
 * first time, or more often than any before it, joins the inputs that are changed.
 */
export async function fuzzLoop(target: FuzzTarget, options: FuzzLoopOptions): Promise<FuzzResult> {
  const { seeds, random, counters, literals, isStopped, maxFindings, onInput } = options
  // Always has the empty input, so that there is one to change.
  const pool: Uint8Array[] = [new Uint8Array()]
  const discoveries: Uint8Array[] = []
  const counts: FuzzCounts = { executions: 0, valid: 0, refused: 0 }
  const findings = new Map<string, Finding>()
  const judge = async (input: Uint8Array): Promise<Outcome | ContractBreach> => {
    onInput(input)
    counts.executions += 1
    try {
      return await runInput(target, input)
    } catch (error) {
      if (error instanceof ContractBreach) return error
      throw error
    }
  }
  const run = async (input: Uint8Array): Promise<void> => {
    counters.reset()
    const outcome = await judge(input)
    const news = counters.takeNews()
    if (outcome instanceof ContractBreach) return found(outcome, input)
    counts[outcome] += 1
    if (news.counters + news.magnitudes > 0) pool.push(input)
    if (news.counters > 0 && areSeedsDone) discoveries.push(input)
  }
  const found = async (breach: ContractBreach, input: Uint8Array): Promise<void> => {
    const { signature, message } = breach
    if (findings.has(signature)) return
    const isSame = async (shorter: Uint8Array): Promise<boolean> => {
      const outcome = await judge(shorter)
      return outcome instanceof ContractBreach && outcome.signature === signature
    }
    const stack = breach.cause instanceof Error ? (breach.cause.stack ?? '') : ''
    findings.set(signature, { input, reason: message, stack })
    findings.set(signature, { input: await minimise(input, isSame), reason: message, stack })
  }

  let areSeedsDone = false
  for (const seed of seeds) await run(seed)
  areSeedsDone = true
  const mutate = createMutator({ random, dictionary: target.dictionary, literals })
  for (let turnEndsAt = 0; !isStopped() && findings.size < maxFindings;) {
    if (performance.now() >= turnEndsAt) {
      // Timers and the garbage of rejected promises wait for the end of a turn.
      await setImmediate()
      turnEndsAt = performance.now() + TURN_MS
    }
    // Newer inputs have been changed less often.
    const at = Math.floor((random() < 0.5 ? random() : 1 - random() ** 3 / 2) * pool.length)
    await run(mutate(pool[at] ?? new Uint8Array(), pool))
  }
  const [covered, total] = [counters.covered(), counters.total()]
  return { ...counts, covered, total, findings: [...findings.values()], poolSize: pool.length, discoveries }
}
