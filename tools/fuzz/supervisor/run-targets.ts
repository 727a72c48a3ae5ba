import { relative } from 'node:path'
import type { FuzzResult } from '../loop/fuzz-loop.ts'
import { writeInput } from '../target/corpus.ts'
import { corpusFolderOf, targetName } from '../target/load-target.ts'
import { resultLine } from './report.ts'
import { runJob } from './run-job.ts'

/** Options of {@link runTargets}. */
export interface RunTargetsOptions {
  /** Time for all targets together, in which they also load. With 0, only the corpus runs, of each target. */
  readonly budgetMs: number
  readonly seed: number
  /** Writes inputs that reach new code to the corpus. */
  readonly isSaving: boolean
  /** Number of targets that run at the same time. */
  readonly threads: number
}

const HANG_MS = 10_000
const HEAP_MIB = 512
/** The next findings would mostly be the same. */
const MAX_FINDINGS = 10
const MAX_SAVED_BYTES = 4_096
const FINDINGS_FOLDER = '.berth/fuzz/findings'

/** Runs the targets in these files and prints a line for each. Returns whether no input broke a contract. */
export async function runTargets(files: readonly string[], options: RunTargetsOptions): Promise<boolean> {
  const { budgetMs, seed, isSaving, threads } = options
  console.log(`seed ${seed}`)
  const endsAt = performance.now() + budgetMs
  const waiting = [...files]
  let isOk = true
  const drain = async (): Promise<void> => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      // A busy machine takes longer to load a target. The next ones then get less time, and the last ones none, so that the run ends in time.
      if (budgetMs > 0 && performance.now() >= endsAt) {
        console.log(`- ${targetName(file)}: left out, because no time is left`)
        continue
      }
      const runMs = Math.max(0, endsAt - performance.now()) / Math.ceil((waiting.length + 1) / threads)
      const job = { file, seed, runMs, maxFindings: MAX_FINDINGS }
      const result = await runJob(job, { hangMs: HANG_MS, heapMiB: HEAP_MIB })
      console.log(resultLine(targetName(file), result, runMs))
      printFindings(file, result)
      if (isSaving) save(file, result)
      isOk &&= result.findings.length === 0 && result.executions > 0
    }
  }
  await Promise.all(Array.from({ length: threads }, drain))
  return isOk
}

function printFindings(file: string, { findings }: FuzzResult): void {
  for (const { input, reason, stack } of findings) {
    const path = writeInput(`${FINDINGS_FOLDER}/${targetName(file)}`, '', input)
    console.log(`  ${reason}\n  input of ${input.length} bytes: ${relative(process.cwd(), path)}`)
    if (stack !== '') console.log(stack.split('\n').slice(0, 12).join('\n'))
  }
}

function save(file: string, { discoveries }: FuzzResult): void {
  for (const input of discoveries) if (input.length <= MAX_SAVED_BYTES) writeInput(corpusFolderOf(file), '', input)
}
