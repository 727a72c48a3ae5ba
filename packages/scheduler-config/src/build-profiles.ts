import type { PluginEnv, PluginRegistry } from '@berth/plugin-api'
import { ConfigError } from '@berth/process/errors'
import { buildProfile, type Profile } from './profile.ts'
import type { ExtenderEntry } from './extender-entry.ts'
import type { ProfileEntry } from './kube-scheduler-configuration.ts'

/**
 * Builds every profile of the configuration.
 *
 * @param env - Returns the environment of one plugin.
 * @throws ConfigError BERTH_SCHEDULER_CONFIG_PROFILE, also when two profiles have different queueSort plugins, because
 *   all
 * profiles share one queue.
 */
export function buildProfiles(
  configuration: { readonly profiles: readonly ProfileEntry[]; readonly extenders: readonly ExtenderEntry[] },
  registry: PluginRegistry,
  env: (plugin: string) => PluginEnv,
): readonly Profile[] {
  const ignoredResources = configuration.extenders.flatMap(({ managedResources }) =>
    managedResources.filter(({ ignoredByScheduler }) => ignoredByScheduler).map(({ name }) => name),
  )
  const profiles = configuration.profiles.map((entry, i) =>
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
