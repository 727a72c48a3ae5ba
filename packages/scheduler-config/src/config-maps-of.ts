import type { Profile } from './profile.ts'

/** Returns the ConfigMaps that the plugins of the profiles read, as `namespace/name`. */
export function configMapsOf(profiles: readonly Pick<Profile, 'framework'>[]): ReadonlySet<string> {
  return new Set(profiles.flatMap(({ framework }) => [...framework.configMaps]))
}
