import { ProfileError } from '../../errors.ts'

/**
 * Refuses the arguments of a plugin.
 *
 * @param path - Path of the field, such as `resources[0].weight`; empty for the arguments as a whole.
 * @throws ProfileError BERTH_FIT_ARGS naming the plugin and the field, always
 */
export function refuseArgs(plugin: string, path: string, reason: string): never {
  const place = path === '' ? plugin : `${plugin}: ${path}`
  throw new ProfileError(`read arguments of plugin ${place}: ${reason}`, { code: 'BERTH_FIT_ARGS' })
}

/**
 * Refuses an object with a field that is not in `fields`, which is most likely misspelled. The arguments as a whole may
 * also have `apiVersion` and `kind`.
 *
 * @throws ProfileError BERTH_FIT_ARGS naming the field
 */
export function onlyFields(plugin: string, path: string, value: object, fields: readonly string[]): void {
  const known = new Set([...fields, ...(path === '' ? ['apiVersion', 'kind'] : [])])
  for (const field of Object.keys(value)) {
    if (!known.has(field)) refuseArgs(plugin, path, `there is no field "${field}"`)
  }
}
