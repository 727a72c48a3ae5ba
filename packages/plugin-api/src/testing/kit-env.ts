import { systemClock } from '@berth/clock'
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
    clock: systemClock(),
    random: seededRandom(1),
  }
}
