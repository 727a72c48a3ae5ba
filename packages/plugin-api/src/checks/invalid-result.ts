import { describeValue, isThenable } from './describe-value.ts'
import { PluginError } from '../errors.ts'

/** A result that the contract of a hook does not allow. */
export interface InvalidResult {
  /** Name of the hook and its verb: `filter returned`. */
  readonly what: string
  readonly value: unknown
  /** The object that the value belongs to: ` for node node-a`. */
  readonly where?: string
  /** The values that the contract allows. */
  readonly expected: string
}

/** Creates the error for a result that the contract does not allow. The host adds the name of the plugin. */
export function invalidResult({ what, value, where = '', expected }: InvalidResult): PluginError {
  // The promise is dropped, so its rejection must not end the program.
  if (isThenable(value)) value.then(undefined, () => undefined)
  return new PluginError(`${what} ${describeValue(value)}${where}, expected ${expected}`, {
    code: 'BERTH_PLUGIN_RESULT',
    hint: 'Fix the hook of the plugin. The test kits in @berth/plugin-api/testing find such results.',
  })
}
