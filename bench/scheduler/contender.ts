import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100
const MS_PER_TICK = 1000 / TICKS_PER_SECOND

/** A scheduler that runs. */
export interface Contender extends AsyncDisposable {
  /** Processor time so far, user and system; NaN where the system does not tell. */
  cpuMs(): number
  /** Why it is not running any more, with the last lines of its log; undefined while it runs. */
  exit(): string | undefined
}

/** Starts a scheduler whose output goes to a file. */
export function startContender(program: string, args: readonly string[], logPath: string): Contender {
  const log = openSync(logPath, 'w')
  const child = spawn(program, args, { stdio: ['ignore', log, log] })
  closeSync(log)
  let exit: string | undefined
  child.once('error', (error) => (exit ??= error.message))
  child.once('exit', (code, signal) => (exit ??= signal ?? `exit code ${code}`))
  return {
    cpuMs: () => (child.pid === undefined ? Number.NaN : cpuMsOf(child.pid)),
    exit: () => exit && `${exit}: ${readFileSync(logPath, 'utf8').trimEnd().split('\n').slice(-5).join('\n')}`,
    async [Symbol.asyncDispose]() {
      if (exit !== undefined) return
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
}

/** Fields 14 and 15 of /proc/PID/stat; the second, a name in brackets, may hold blanks. */
function cpuMsOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [, , , , , , , , , , , user = '', system = ''] = stat.slice(stat.lastIndexOf(')') + 1).split(' ')
    return (Number(user) + Number(system)) * MS_PER_TICK
  } catch {
    return Number.NaN
  }
}
