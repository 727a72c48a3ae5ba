import { builtInPlugins } from '@berth/fit-engine'
import { isNode, type SchemaNode } from './helm-schema.ts'

/** Where values.yaml lists plugins with their arguments. */
const places = [
  ['properties', 'extender', 'properties', 'config', 'properties', 'plugins', 'items'],
  [
    'properties',
    'scheduler',
    'properties',
    'config',
    'properties',
    'profiles',
    'items',
    'properties',
    'pluginConfig',
    'items',
  ],
] as const

/**
 * Makes the name of a built-in plugin decide what its `args` may be.
 *
 * @throws Error when the schema has no such place.
 */
export function withPluginArgs(schema: SchemaNode): SchemaNode {
  return places.reduce<SchemaNode>(
    (node, path) => edited(node, path, (entry) => ({ ...entry, allOf: conditions() })),
    schema,
  )
}

function conditions(): readonly SchemaNode[] {
  return builtInPlugins.flatMap(({ name, argsSchema }) =>
    argsSchema === undefined
      ? []
      : {
          if: { properties: { name: { const: name } } },
          // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON schema
          then: { properties: { args: argsSchema } },
        },
  )
}

function edited(
  node: SchemaNode,
  [step, ...rest]: readonly string[],
  edit: (node: SchemaNode) => SchemaNode,
): SchemaNode {
  if (step === undefined) return edit(node)
  const child = node[step]
  if (!isNode(child)) throw new Error(`the values schema has no ${step} where plugins are listed`)
  return { ...node, [step]: edited(child, rest, edit) }
}
