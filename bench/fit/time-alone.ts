import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { type BenchOptions, WrongAnswerError } from '../measurement.ts'

/**
 * Times each case in a process of its own, one after the other.
 *
 * @returns Samples in microseconds a call, by name.
 * @throws WrongAnswerError when a process found its answers wrong afterwards.
 */
export function timeAlone(
  group: 'usual' | 'topology',
  names: readonly string[],
  { isQuick, progress }: BenchOptions,
): ReadonlyMap<string, readonly number[]> {
  return new Map(
    names.map((name) => {
      progress(`alone: ${name}`)
      const program = join(import.meta.dirname, 'lone-case.ts')
      const args = ['-C', '@berth/source', program, group, name, isQuick ? 'quick' : 'full']
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
      if (status !== 0) throw new WrongAnswerError(`${name}: ${stderr.trim().split('\n').slice(-8).join('\n')}`)
      return [name, JSON.parse(stdout) as number[]]
    }),
  )
}
