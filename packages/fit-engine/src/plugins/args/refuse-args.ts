import { ProfileError } from '../../errors.ts'

/** Refuses the arguments of a plugin, naming the field. */
export function refuseArgs(plugin: string, path: string, reason: string): never {
  const place = path === '' ? plugin : `${plugin}: ${path}`
  throw new ProfileError(`read arguments of plugin ${place}: ${reason}`, { code: 'BERTH_FIT_ARGS' })
}

/** Refuses unknown fields, which are most likely misspelled. */
export function onlyFields(plugin: string, path: string, value: object, fields: readonly string[]): void {
  const known = new Set([...fields, ...(path === '' ? ['apiVersion', 'kind'] : [])])
  for (const field of Object.keys(value)) {
    if (!known.has(field)) refuseArgs(plugin, path, `there is no field "${field}"`)
  }
}
