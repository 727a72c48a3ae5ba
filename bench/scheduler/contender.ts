import { readFileSync } from 'node:fs'
import { startServerProcess } from '@berth/e2e/real-api-server/server-process'

const TICKS_PER_SECOND = 100
const MS_PER_TICK = 1000 / TICKS_PER_SECOND

/** A scheduler that runs. */
export interface Contender extends AsyncDisposable {
  /** Processor time so far, user and system; NaN where the system does not tell. */
  cpuMs(): number
  /** Why it is not running any more; undefined while it runs. */
  exit(): string | undefined
  /** The last lines of its log. */
  lastWords(): string
}

/** Starts a scheduler whose output goes to a file. */
export function startContender(program: string, args: readonly string[], logPath: string): Contender {
  const started = startServerProcess(program, args, logPath)
  return {
    cpuMs: () => (started.pid === undefined ? Number.NaN : cpuMsOf(started.pid)),
    exit: () => started.exit(),
    lastWords: () => started.lastWords(),
    [Symbol.asyncDispose]: () => started.kill(),
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
