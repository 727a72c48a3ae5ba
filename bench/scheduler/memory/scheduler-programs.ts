import { type Runner, startRunner } from '../start-runner.ts'
import type { MeasuredProgram, MemorySetting } from './measure-memory.ts'
import { until } from './until.ts'

/** Returns a scheduler that places the waiting pods. */
export function schedulerProgram(name: string, runner: Runner): MeasuredProgram {
  return {
    name,
    run: async (setting, onScene) => {
      await using scheduler = startRunner(runner, setting.server)
      await until(scheduler, () => areBound(setting))
      onScene({ pid: scheduler.pid, did: `${setting.size.waiting} pods placed` })
    },
  }
}

/** Returns whether every pod of the cluster is bound. */
function areBound({ watcher: { mirror }, size: { bound, waiting } }: MemorySetting): boolean {
  const pods = mirror.store
  return pods.size === bound + waiting && Iterator.from(pods.values()).every(({ spec }) => (spec.nodeName ?? '') !== '')
}
