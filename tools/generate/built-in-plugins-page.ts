import { type ArgsSchema, type BuiltInPlugin, builtInPlugins } from '@berth/fit-engine'
import { code, markdownTable } from './markdown-table.ts'

/** Keys that all arguments may have: `apiVersion` and `kind`. */
const HEADER_KEYS = 2

/** Returns the text of docs/built-in-plugins.md. */
export function builtInPluginsPage(): string {
  return `${[
    '# Built-in scheduling plugins',
    'Written by `tools/generate.ts` from the table in `packages/fit-engine/src/profile/built-in-plugins.ts`. All arguments may have `apiVersion` and `kind`, as in kube-scheduler; they are not read. The scheduler takes arguments in `profiles[].pluginConfig[].args`, the extender in `plugins[].args`. Plugins that are not on by default run only where a profile names them. `DefaultPreemption` runs in the scheduler only.',
    markdownTable(
      ['plugin', 'extension points', 'default weight', 'on by default', 'arguments'],
      builtInPlugins.map((plugin) => row(plugin)),
    ),
    ...builtInPlugins.flatMap((plugin) => argsSection(plugin)),
  ].join('\n\n')}\n`
}

function row({ name, points, weight, isDefault, argsSchema }: BuiltInPlugin): readonly string[] {
  return [
    code(name),
    points.join(', '),
    points.includes('score') ? String(weight) : '',
    isDefault ? 'yes' : 'no',
    argsSchema === undefined ? 'none' : `[below](#arguments-of-${name.toLowerCase()})`,
  ]
}

function argsSection({ name, argsSchema }: BuiltInPlugin): readonly string[] {
  if (argsSchema === undefined) return []
  return [
    `## Arguments of ${name}`,
    markdownTable(['key', 'type', 'meaning'], argRows(argsSchema, '').slice(HEADER_KEYS)),
  ]
}

function argRows(schema: ArgsSchema, above: string): readonly (readonly string[])[] {
  if (schema.type === 'array') return argRows(schema.items, `${above}[]`)
  if (schema.type !== 'object') return []
  return Object.entries(schema.properties).flatMap(([key, inner]) => {
    const path = above === '' ? key : `${above}.${key}`
    return [[code(path), typeText(inner), inner.description ?? ''], ...argRows(inner, path)]
  })
}

function typeText(schema: ArgsSchema): string {
  if (schema.type === 'array') return `list of ${typeText(schema.items)}`
  if (schema.type === 'string' && schema.enum !== undefined) return schema.enum.map((value) => code(value)).join(', ')
  if (schema.type !== 'integer') return schema.type
  const { minimum, maximum, exclusiveMinimum } = schema
  if (exclusiveMinimum !== undefined) return `integer above ${exclusiveMinimum}`
  return minimum === undefined || maximum === undefined ? 'integer' : `integer, ${minimum} to ${maximum}`
}
