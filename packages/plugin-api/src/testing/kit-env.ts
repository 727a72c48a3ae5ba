import { seededRandom } from '@berth/clock/testing'
import { silentLogger } from '@berth/types'
import type { SourceEnv } from '../contract/plugin-env.ts'

/**
 * Returns the environment of a plugin under test: the system clock (sources may poll), a silent log, and seeded
 * randomness.
 */
export function kitEnv(): SourceEnv {
  return {
    resourceName: 'example.com/resource',
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
