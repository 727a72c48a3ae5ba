import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { type BenchOptions, WrongResultError } from '../measurement.ts'

/**
 * Times each case in its own process, one after the other.
 *
 * @returns The samples in microseconds per operation, by case name.
 * @throws WrongResultError when a process fails, for example because its results are wrong.
 */
export function timeInOwnProcesses(
  group: 'usual' | 'topology',
  names: readonly string[],
  { isQuick, progress }: BenchOptions,
): ReadonlyMap<string, readonly number[]> {
  return new Map(
    names.map((name) => {
      progress(`in its own process: ${name}`)
      const program = join(import.meta.dirname, 'single-case.ts')
      const args = ['-C', '@berth/source', program, group, name, isQuick ? 'quick' : 'full']
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
      if (status !== 0) throw new WrongResultError(`${name}: ${stderr.trim().split('\n').slice(-8).join('\n')}`)
      return [name, JSON.parse(stdout) as number[]]
    }),
  )
}
