/** The process that runs one fuzz target. It imports the target with instrumentation. */
import { seededRandom } from '@berth/clock/testing'
import { createCoverageCounters } from '../instrumentation/coverage-counters.ts'
import { instrumentImports, sourceLiterals } from '../instrumentation/instrument-hooks.ts'
import { openCurrentInput } from '../loop/current-input.ts'
import { fuzzLoop, type FuzzResult } from '../loop/fuzz-loop.ts'
import { readCorpus } from '../target/corpus.ts'
import { loadTarget } from '../target/load-target.ts'

/** Asks the process for one run. */
export interface FuzzJob {
  readonly file: string
  readonly seed: number
  /** Time of the process, in which it loads the target and runs the corpus, too. With 0, only the corpus runs. */
  readonly runMs: number
  /** Findings after which the run ends. */
  readonly maxFindings: number
  /** Runs only this input, and not the corpus. */
  readonly only?: Uint8Array
}

/** A job, and where the process notes the input that it runs. */
export interface FuzzOrder extends FuzzJob {
  readonly currentInputPath: string
}

/** The process has ended the run, or cannot run it because of a mistake of its own. */
export type FuzzMessage =
  | { readonly kind: 'ended'; readonly result: FuzzResult }
  | { readonly kind: 'failed'; readonly message: string }

async function run({ file, seed, runMs, maxFindings, only, currentInputPath }: FuzzOrder): Promise<FuzzResult> {
  instrumentImports()
  const target = await loadTarget(file)
  const current = openCurrentInput(currentInputPath)
  const result = await fuzzLoop(target, {
    seeds: only === undefined ? readCorpus(target.corpusFolder).map(({ input }) => input) : [only],
    random: seededRandom(seed),
    counters: createCoverageCounters(),
    literals: sourceLiterals,
    // Zero is the start of the process.
    isStopped: () => performance.now() >= runMs,
    maxFindings,
    onInput: current.write,
  })
  current.close()
  return result
}

process.once('message', (order: FuzzOrder) => {
  const report = (message: FuzzMessage): void => void process.send?.(message, () => process.exit(0))
  run(order).then(
    (result) => report({ kind: 'ended', result }),
    (error: unknown) =>
      report({ kind: 'failed', message: error instanceof Error ? (error.stack ?? '') : String(error) }),
  )
})
