import type { PluginKind } from '../contract/berth-plugin.ts'
import { PluginError } from '../errors.ts'
import { describeValue, isThenable } from '../checks/describe-value.ts'
import { refuseUnknownHooks } from '../checks/refuse-unknown-hooks.ts'
import { hookNames } from '../hosting/hook-names.ts'

/** The functions that `create` may and must return, by kind of plugin. */
export const functionsByKind: Readonly<
  Record<PluginKind, { readonly known: readonly string[]; readonly required: readonly string[] }>
> = {
  scheduling: { known: hookNames, required: [] },
  'device-source': { known: ['discover', 'probe', 'allocate', 'preStart'], required: ['discover', 'allocate'] },
  'resource-source': { known: ['compute'], required: ['compute'] },
}

/**
 * Checks the result of a plugin's `create`: an object, not a promise, with known functions only.
 *
 * @throws PluginError BERTH_PLUGIN_CREATE, BERTH_PLUGIN_HOOK_UNSUPPORTED, BERTH_PLUGIN_SHAPE.
 */
export function checkCreated(kind: PluginKind, name: string, created: unknown): object {
  const action = `create plugin ${name}`
  if (typeof created !== 'object' || created === null || isThenable(created)) {
    // The promise is dropped, so its rejection must not end the program.
    if (isThenable(created)) created.then(undefined, () => undefined)
    const expected = kind === 'scheduling' ? 'an object with the hooks' : 'the source, an object'
    throw new PluginError(`${action}: create returned ${describeValue(created)}, expected ${expected}`, {
      code: 'BERTH_PLUGIN_CREATE',
      hint: 'create must be synchronous. Start what takes time in a hook.',
    })
  }
  const { known, required } = functionsByKind[kind]
  refuseUnknownHooks(created, known, action)
  const missing = required.find((hook) => typeof (created as Readonly<Record<string, unknown>>)[hook] !== 'function')
  if (missing !== undefined) {
    throw new PluginError(`${action}: the source has no ${missing}`, {
      code: 'BERTH_PLUGIN_SHAPE',
      hint: `Return an object with ${required.join(' and ')} from create.`,
    })
  }
  return created
}
