import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'

/** A program that runs until it is stopped. */
export interface ServerProcess {
  /** Undefined if it could not be started. */
  readonly pid: number | undefined
  /** Returns why the process ended, or undefined while it runs. */
  exit(): string | undefined
  /** Resolves to why the process ended, when it has. */
  readonly ended: Promise<string>
  /** Sends a signal unless the process has exited. */
  signal(signal: NodeJS.Signals): void
  /** Returns the last lines of its log. */
  lastLogLines(): string
  /** Sends SIGTERM, and SIGKILL after ten seconds. Resolves when the process has exited. */
  stop(): Promise<void>
  /** Sends SIGKILL and waits until the process has exited. */
  kill(): Promise<void>
}

/**
 * Starts a program and appends its output to a file.
 *
 * @param env - Further variables of the environment.
 */
export function startServerProcess(
  program: string,
  args: readonly string[],
  logPath: string,
  env: Readonly<Record<string, string>> = {},
): ServerProcess {
  const log = openSync(logPath, 'a')
  // The kernel ends the server when this process ends in any way, for example because a run was killed.
  const untilParentEnds = ['--pdeathsig', 'KILL', program, ...args]
  const child: ChildProcess = spawn('setpriv', untilParentEnds, {
    stdio: ['ignore', log, log],
    env: { ...process.env, ...env },
  })
  closeSync(log)
  let exit: string | undefined
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve((exit ??= error.message)))
    child.once('exit', (code, signal) => resolve((exit ??= signal ?? `exit code ${code}`)))
  })
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    if (exit !== undefined) return
    const gone = once(child, 'exit')
    child.kill(signal)
    const killer = setTimeout(() => child.kill('SIGKILL'), 10_000)
    await gone
    clearTimeout(killer)
  }
  return {
    pid: child.pid,
    exit: () => exit,
    ended,
    signal(signal) {
      if (exit === undefined) child.kill(signal)
    },
    lastLogLines: () => readFileSync(logPath, 'utf8').trimEnd().split('\n').slice(-5).join('\n'),
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  }
}
