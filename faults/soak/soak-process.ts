import { setTimeout as pause } from 'node:timers/promises'
import { startServerProcess, type ServerProcess } from '@berth/e2e/real-api-server/server-process'
import type { ProcessLife, ProcessSample } from './judge-growth.ts'
import { sampleProcess } from './sample-process.ts'

/** How to start a program of the soak. */
export interface SoakProgram {
  readonly name: string
  /** Arguments of `node`: its flags, the path of the program, and the flags of the program. */
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** File to which all processes of the program append their output. */
  readonly logPath: string
  /** Where it serves /metrics. Undefined if it serves none. */
  readonly healthUrl?: string
  /** Whether it ends by itself when it was stopped for long, as a leader that lost its Lease. Default: false. */
  readonly endsWhenStopped?: boolean
}

/** A program that is started again whenever its process ends. Disposing ends it. */
export interface SoakProcess extends AsyncDisposable {
  readonly name: string
  /** Measures the process that runs. */
  sample(): Promise<ProcessSample | undefined>
  /** Sends SIGKILL. */
  kill(): void
  /** Sends SIGSTOP, and SIGCONT after this time. */
  stop(forMs: number): Promise<void>
  /** Returns the lives of all processes so far. */
  lives(): readonly ProcessLife[]
  /** Returns a sentence for each process that ended without a signal of the soak. */
  problems(): readonly string[]
}

const RESTART_MS = 500
/** A process that was stopped past its Lease ends within this time after it continues. */
const END_AFTER_STOP_MS = 30_000

/** Starts a program. */
export function startSoakProcess(program: SoakProgram): SoakProcess {
  const { name, args, env = {}, logPath, healthUrl, endsWhenStopped = false } = program
  const lives: { readonly name: string; readonly samples: ProcessSample[] }[] = []
  const problems: string[] = []
  const ending = new AbortController()
  let mayEndUntilMs = 0
  let isKilled = false
  let current: ServerProcess | undefined

  const supervise = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      isKilled = false
      lives.push({ name, samples: [] })
      current = startServerProcess(process.execPath, args, logPath, { NO_COLOR: '1', ...env })
      const exit = await current.ended
      if (ending.signal.aborted) return
      if (!isKilled && performance.now() > mayEndUntilMs)
        problems.push(`${name} ended by itself (${exit}): ${current.lastLogLines()}`)
      await pause(RESTART_MS)
    }
  }
  const supervised = supervise()

  return {
    name,
    async sample() {
      const samples = lives.at(-1)?.samples
      const pid = current?.exit() === undefined ? current?.pid : undefined
      const sample = pid === undefined ? undefined : await sampleProcess(pid, healthUrl)
      // The process may have been replaced in the meantime.
      if (sample === undefined || lives.at(-1)?.samples !== samples) return undefined
      samples?.push(sample)
      return sample
    },
    kill() {
      isKilled = true
      current?.signal('SIGKILL')
    },
    async stop(forMs) {
      const stopped = current
      if (endsWhenStopped) mayEndUntilMs = performance.now() + forMs + END_AFTER_STOP_MS
      stopped?.signal('SIGSTOP')
      await pause(forMs)
      stopped?.signal('SIGCONT')
    },
    lives: () => lives,
    problems: () => problems,
    async [Symbol.asyncDispose]() {
      ending.abort()
      await current?.kill()
      await supervised
    },
  }
}
