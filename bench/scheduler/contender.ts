import { readFileSync } from 'node:fs'
import { startServerProcess } from '@berth/e2e/real-api-server/server-process'

const TICKS_PER_SECOND = 100
const MS_PER_TICK = 1000 / TICKS_PER_SECOND

/** A running scheduler. */
export interface Contender extends AsyncDisposable {
  /** Returns the CPU time so far, user and system, or NaN when it is unknown. */
  cpuMs(): number
  /** Returns why the process has exited, or undefined while it runs. */
  exit(): string | undefined
  lastLogLines(): string
}

/** Starts a scheduler and redirects its output to a file. */
export function startContender(program: string, args: readonly string[], logPath: string): Contender {
  const started = startServerProcess(program, args, logPath)
  return {
    cpuMs: () => (started.pid === undefined ? Number.NaN : cpuMsOf(started.pid)),
    exit: () => started.exit(),
    lastLogLines: () => started.lastLogLines(),
    [Symbol.asyncDispose]: () => started.kill(),
  }
}

/** Reads fields 14 and 15 of /proc/PID/stat. Field 2, a name in parentheses, may contain spaces. */
function cpuMsOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [, , , , , , , , , , , user = '', system = ''] = stat.slice(stat.lastIndexOf(')') + 1).split(' ')
    return (Number(user) + Number(system)) * MS_PER_TICK
  } catch {
    return Number.NaN
  }
}
