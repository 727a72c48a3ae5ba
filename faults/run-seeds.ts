import { fork } from 'node:child_process'
import { join } from 'node:path'
import type { SeedResult } from './run-seed.ts'

const PROCESS = join(import.meta.dirname, 'seed-process.ts')
/**
 * Seeds for each process. A process that was killed in virtual time leaves waits behind that never end, and Node keeps
 * the signals of `AbortSignal.any` for as long as something waits for them: about 5 MB for each seed.
 */
const SEEDS_PER_PROCESS = 20

/** Options of {@link runSeeds}. */
export interface RunSeedsOptions {
  readonly from: number
  readonly seeds: number
  /** Name of the bug to plant. Default: none. */
  readonly mutant?: string | undefined
  readonly stopsAtFailure: boolean
  readonly onResult: (result: SeedResult) => void
}

/**
 * Runs seeds one after the other, in processes of their own.
 *
 * @throws Error when a process ends early.
 */
export async function runSeeds(options: RunSeedsOptions): Promise<void> {
  const { from, seeds, mutant, stopsAtFailure, onResult } = options
  let isStopped = false
  for (let first = from; first < from + seeds; first += SEEDS_PER_PROCESS) {
    const count = Math.min(SEEDS_PER_PROCESS, from + seeds - first)
    const words = [String(first), String(count), ...(mutant === undefined ? [] : [mutant])]
    const child = fork(PROCESS, words, { execArgv: ['-C', '@berth/source'] })
    let results = 0
    child.on('message', (message) => {
      if (isStopped) return
      const result = message as SeedResult
      results++
      onResult(result)
      isStopped = stopsAtFailure && result.problems.length > 0
      if (isStopped) child.kill()
    })
    const code = await new Promise<number | null>((resolve) => void child.once('exit', resolve))
    if (isStopped) return
    if (results < count) throw new Error(`the process of seed ${first + results} ended with ${code}`)
  }
}
