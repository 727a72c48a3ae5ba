import { systemClock, withDeadline } from '@berth/clock'
import { contractBreach } from './contract-breach.ts'

/**
 * Waits for a promise of a plugin under test for at most `deadlineMs`.
 *
 * @param what - The broken rule, such as `compute returned nothing`.
 * @throws PluginError BERTH_PLUGIN_CONTRACT at the deadline.
 */
export function inTime<T>(plugin: string, what: string, deadlineMs: number, promise: Promise<T>): Promise<T> {
  const lateError = (): Error => contractBreach(plugin, `${what} within ${deadlineMs} ms`)
  return withDeadline({ clock: systemClock(), deadlineMs, lateError }, () => promise)
}
