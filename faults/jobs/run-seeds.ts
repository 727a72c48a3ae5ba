import { forEachConcurrently } from '@berth/clock'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { SeedResult } from '../run-seed.ts'
import { type SeedRange, splitSeeds } from './seed-range.ts'

const PROGRAM = join(import.meta.dirname, 'seed-process.ts')

/** Seeds without a result, because their process ended during the first of them. */
export interface LostSeeds extends SeedRange {
  /** Exit status or signal. */
  readonly status: string
}

/** Options of {@link runSeeds}. */
export interface RunSeedsOptions extends SeedRange {
  /** Number of processes at a time. Default: 1. Results come in the order of the seeds only from one process. */
  readonly jobs?: number | undefined
  /** Name of the bug to plant. Default: none. */
  readonly mutant?: string | undefined
  readonly stopsAtFailure: boolean
  /** Ends the run. Default: it runs to its end. */
  readonly signal?: AbortSignal | undefined
  /** The program that runs seeds. Default: `seed-process.ts`. */
  readonly program?: string | undefined
  readonly onResult: (result: SeedResult) => void
  /** Called for a process that ended early. Its results until then were passed to `onResult`. */
  readonly onLost: (lost: LostSeeds) => void
}

/** Runs seeds in processes of their own. */
export async function runSeeds(options: RunSeedsOptions): Promise<void> {
  const { jobs = 1, stopsAtFailure, onResult } = options
  const stop = new AbortController()
  const signal = AbortSignal.any([stop.signal, ...(options.signal === undefined ? [] : [options.signal])])
  await forEachConcurrently(
    splitSeeds(options, jobs),
    jobs,
    (range) =>
      runRange(range, {
        ...options,
        signal,
        onResult(result) {
          onResult(result)
          if (stopsAtFailure && result.problems.length > 0) stop.abort()
        },
      }),
    signal,
  )
}

async function runRange({ from, seeds }: SeedRange, options: RunSeedsOptions & { readonly signal: AbortSignal }) {
  const { mutant, signal, program = PROGRAM, onResult, onLost } = options
  const words = [String(from), String(seeds), ...(mutant === undefined ? [] : [mutant])]
  const child = fork(program, words, { execArgv: ['-C', '@berth/source'] })
  let results = 0
  child.on('message', (message) => {
    if (signal.aborted) return
    results++
    onResult(message as SeedResult)
  })
  // The process ignores the signals of the terminal, which it receives together with this one.
  const kill = (): void => void child.kill('SIGKILL')
  signal.addEventListener('abort', kill)
  // The last messages may arrive after the exit, and come before the end of the channel.
  const [[code, killedBy]] = await Promise.all([once(child, 'exit'), once(child, 'disconnect')])
  signal.removeEventListener('abort', kill)
  if (results === seeds || signal.aborted) return
  onLost({ from: from + results, seeds: seeds - results, status: killedBy ?? `exit status ${code}` })
}
