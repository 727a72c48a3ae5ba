import { builtInPlugins } from '@berth/fit-engine'
import { isNode, type SchemaNode } from './helm-schema.ts'

/** The paths in the values schema at which plugins are listed with their arguments. */
const pluginListPaths = [
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
 * Validates the `args` of each built-in plugin with that plugin's own schema, selected by the plugin's name.
 *
 * @throws Error when the schema lacks one of the plugin lists.
 */
export function withPluginArgs(schema: SchemaNode): SchemaNode {
  return pluginListPaths.reduce<SchemaNode>(
    (node, path) => editAt(node, path, (entry) => ({ ...entry, allOf: argsConditions() })),
    schema,
  )
}

function argsConditions(): readonly SchemaNode[] {
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

function editAt(
  node: SchemaNode,
  [step, ...rest]: readonly string[],
  edit: (node: SchemaNode) => SchemaNode,
): SchemaNode {
  if (step === undefined) return edit(node)
  const child = node[step]
  if (!isNode(child)) throw new Error(`the values schema has no ${step} where plugins are listed`)
  return { ...node, [step]: editAt(child, rest, edit) }
}
