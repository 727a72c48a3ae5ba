import { startServerProcess } from '@berth/e2e/real-api-server/server-process'
import { cpuMsOf } from './process-cpu.ts'

/** A running scheduler. */
export interface Contender extends AsyncDisposable {
  /** Returns the CPU time so far, user and system, or NaN when it is unknown. */
  cpuMs(): number
  /** Returns why the process has exited, or undefined while it runs. */
  exit(): string | undefined
  lastLogLines(): string
}

/** A contender that is one process. */
export interface ContenderProcess extends Contender {
  /** Undefined if it could not be started. */
  readonly pid: number | undefined
  /** Sends SIGTERM and waits until the process has exited. */
  stop(): Promise<void>
}

/** Starts a scheduler and redirects its output to a file. `env` is added to the environment. */
export function startContender(
  program: string,
  args: readonly string[],
  logPath: string,
  env?: Readonly<Record<string, string>>,
): ContenderProcess {
  const started = startServerProcess(program, args, logPath, env)
  return {
    pid: started.pid,
    stop: () => started.stop(),
    cpuMs: () => cpuMsOf(started.pid),
    exit: () => started.exit(),
    lastLogLines: () => started.lastLogLines(),
    [Symbol.asyncDispose]: () => started.kill(),
  }
}
