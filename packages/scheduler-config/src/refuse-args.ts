import { ConfigError } from '@berth/process/errors'

/**
 * Refuses the arguments of a plugin.
 *
 * @param path - Path of the entry; undefined when the configuration does not name the plugin.
 * @throws ConfigError BERTH_SCHEDULER_CONFIG_PROFILE
 */
export function refuseArgs(name: string, path: string | undefined, problem: string): never {
  throw new ConfigError(`read ${path ?? ''}.args of ${name}: ${problem}`, { code: 'BERTH_SCHEDULER_CONFIG_PROFILE' })
}
