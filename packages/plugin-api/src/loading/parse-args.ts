import type { z } from 'zod'
import type { BerthPlugin } from '../contract/berth-plugin.ts'
import { PluginError } from '../errors.ts'

/**
 * Checks the arguments of a plugin against its schema. Absent arguments count as an empty object.
 *
 * @throws PluginError BERTH_PLUGIN_ARGS with one part per mistake, each with the path of its key.
 */
export function parseArgs(plugin: BerthPlugin, args: unknown): unknown {
  const result = plugin.argsSchema.safeParse(args ?? {})
  if (result.success) return result.data
  const faults = result.error.issues.flatMap((issue) => faultsOf(issue))
  throw new PluginError(`read the arguments of plugin ${plugin.name}: ${faults.join('; ')}`, {
    code: 'BERTH_PLUGIN_ARGS',
    hint: 'The README of the plugin lists its arguments.',
  })
}

function faultsOf(issue: z.core.$ZodIssue): readonly string[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `${pathText([...issue.path, key])}: no such key`)
  }
  return [`${pathText(issue.path)}: ${issue.message}`]
}

function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : `${text}.${String(step)}`),
    'args',
  )
}
