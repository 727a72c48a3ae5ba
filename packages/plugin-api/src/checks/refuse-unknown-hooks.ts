import { nearestName } from '@berth/text/nearest-name'
import { PluginError } from '../errors.ts'

/**
 * Checks that every function of an object is a known hook, and that every hook is a function. A misspelt hook would
 * silently not run. A method of a class is refused only if its name is close to a hook that the object lacks, because
 * other methods may be its own.
 *
 * @param action - Begins each message: `use plugin mine in the scheduler`.
 * @throws PluginError BERTH_PLUGIN_HOOK_UNSUPPORTED naming the hook.
 */
export function refuseUnknownHooks(hooks: object, known: readonly string[], action: string): void {
  for (const [name, value] of Object.entries(hooks) as readonly (readonly [string, unknown])[]) {
    if (known.includes(name)) {
      if (value === undefined || typeof value === 'function') continue
      throw refusal(`${action}: "${name}" is not a function`, `Give ${name} a function, or remove it.`)
    }
    if (typeof value === 'function') {
      throw refusal(`${action}: "${name}" is not a hook`, unknownNameHint(name, known))
    }
  }
  for (const name of methodNames(hooks)) {
    const nearest = known.includes(name) ? undefined : nearestName(name, known)
    if (nearest === undefined || nearest in hooks) continue
    throw refusal(`${action}: "${name}" is not a hook`, `Did you mean "${nearest}"?`)
  }
}

function unknownNameHint(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known)
  return nearest === undefined ? `Hooks are ${known.join(', ')}.` : `Did you mean "${nearest}"?`
}

/** Returns the names of the methods of the object's class and of its superclasses. */
function methodNames(value: object): readonly string[] {
  const names: string[] = []
  let prototype: unknown = Object.getPrototypeOf(value)
  while (typeof prototype === 'object' && prototype !== null && prototype !== Object.prototype) {
    for (const [name, { value: method }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
      if (name !== 'constructor' && typeof method === 'function') names.push(name)
    }
    prototype = Object.getPrototypeOf(prototype)
  }
  return names
}

function refusal(message: string, hint: string): PluginError {
  return new PluginError(message, { code: 'BERTH_PLUGIN_HOOK_UNSUPPORTED', hint })
}
