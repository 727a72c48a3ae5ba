import { seededRandom } from '@berth/clock/testing'
import { silentLogger } from '@berth/types'
import type { PluginEnv } from '../contract/plugin-env.ts'

/** The world that a kit gives to a plugin: real timers, since sources may poll, a silent log, repeatable randomness. */
export function kitEnv(): PluginEnv {
  return {
    log: silentLogger,
    clock: {
      now: () => Date.now(),
      monotonic: () => performance.now(),
      setTimer: (delayMs, task) => {
        const timer = setTimeout(task, delayMs)
        return { cancel: () => clearTimeout(timer) }
      },
    },
    random: seededRandom(1),
  }
}
