import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'

/** A program that runs until it is stopped. */
export interface ServerProcess {
  /** Undefined when it could not be started. */
  readonly pid: number | undefined
  /** Why it is not running any more; undefined while it is. */
  exit(): string | undefined
  /** The last lines of its log. */
  lastLogLines(): string
  /** SIGTERM, then SIGKILL after ten seconds; resolves when it is gone. */
  stop(): Promise<void>
  /** SIGKILL. */
  kill(): Promise<void>
}

/** Starts a program whose output goes to a file. */
export function startServerProcess(program: string, args: readonly string[], logPath: string): ServerProcess {
  const log = openSync(logPath, 'a')
  const child: ChildProcess = spawn(program, args, { stdio: ['ignore', log, log] })
  closeSync(log)
  let exit: string | undefined
  // Whoever started it may be interrupted before it comes to stopping it.
  const killAtExit = (): void => void child.kill('SIGKILL')
  process.once('exit', killAtExit)
  child.once('exit', () => process.off('exit', killAtExit))
  child.once('error', (error) => (exit ??= error.message))
  child.once('exit', (code, signal) => (exit ??= signal ?? `exit code ${code}`))
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
    lastLogLines: () => readFileSync(logPath, 'utf8').trimEnd().split('\n').slice(-5).join('\n'),
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  }
}
