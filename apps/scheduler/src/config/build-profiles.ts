import type { PluginEnv, PluginRegistry } from '@berth/plugin-api'
import { ConfigError } from '@berth/process/errors'
import { buildProfile, type Profile } from './profile.ts'
import type { Settings } from './settings.ts'

/**
 * Builds every profile of the configuration.
 *
 * @throws ConfigError BERTH_SCHEDULER_CONFIG_PROFILE, also when profiles sort the queue that they share differently.
 */
export function buildProfiles(
  settings: Pick<Settings, 'profiles' | 'extenders'>,
  registry: PluginRegistry,
  env: (plugin: string) => PluginEnv,
): readonly Profile[] {
  const ignoredResources = settings.extenders.flatMap(({ managedResources }) =>
    managedResources.filter(({ ignoredByScheduler }) => ignoredByScheduler).map(({ name }) => name),
  )
  const profiles = settings.profiles.map((entry, i) =>
    buildProfile(entry, `profiles[${i}]`, { registry, env, ignoredResources }),
  )
  const sorters = new Set(profiles.map(({ sorter }) => sorter?.name ?? 'PrioritySort'))
  if (sorters.size > 1) {
    throw new ConfigError(`read profiles: they sort the queue by ${[...sorters].join(' and ')}`, {
      code: 'BERTH_SCHEDULER_CONFIG_PROFILE',
      hint: 'All profiles share one queue: give each profile the same queueSort plugin.',
    })
  }
  return profiles
}
