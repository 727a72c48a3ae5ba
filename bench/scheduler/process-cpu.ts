import { readdirSync, readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100
const MS_PER_TICK = 1000 / TICKS_PER_SECOND

/**
 * Returns the CPU time of a process so far, user and system; NaN when it is unknown. Reads fields 14 and 15 of
 * /proc/PID/stat. Field 2, a name in parentheses, may contain spaces.
 */
export function cpuMsOf(pid: number | undefined): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [, , , , , , , , , , , user = '', system = ''] = stat.slice(stat.lastIndexOf(')') + 1).split(' ')
    return (Number(user) + Number(system)) * MS_PER_TICK
  } catch {
    return Number.NaN
  }
}

/** Returns the process of a program that has `argument` in its command line; undefined if there is none. */
export function pidOf(program: string, argument: string): number | undefined {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .find((pid) => {
      try {
        const [command = '', ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
        return command.endsWith(`/${program}`) && args.some((each) => each.includes(argument))
      } catch {
        return false
      }
    })
}
