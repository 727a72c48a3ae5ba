import { spawnSync } from 'node:child_process'
import { type BenchOptions, WrongResultError } from './measurement.ts'

/**
 * Times each case in its own process, one after the other. A process runs one kind of work, as the apps do; code that the
 * compiler optimized for a dozen kinds at once is slower.
 *
 * @param command - Path and first arguments of a program that takes the name of a case and `full` or `quick` as its last
 *   arguments, and prints the samples as JSON.
 * @returns The samples in microseconds per operation, by case name.
 * @throws WrongResultError when a process fails, for example because its results are wrong.
 */
export function timeInOwnProcesses(
  command: readonly string[],
  names: readonly string[],
  { isQuick, progress }: BenchOptions,
): ReadonlyMap<string, readonly number[]> {
  return new Map(
    names.map((name) => {
      progress(`in its own process: ${name}`)
      const args = ['-C', '@berth/source', ...command, name, isQuick ? 'quick' : 'full']
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
      if (status !== 0) throw new WrongResultError(`${name}: ${stderr.trim().split('\n').slice(-8).join('\n')}`)
      return [name, JSON.parse(stdout) as number[]]
    }),
  )
}
