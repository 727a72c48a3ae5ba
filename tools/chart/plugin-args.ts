import { type BuiltInPlugin, builtInPlugins, decidesOnNodes } from '@berth/fit-engine'
import { isNode, type SchemaNode } from './helm-schema.ts'

/** The places in the values schema at which plugins are listed with their arguments, with the plugins that run there. */
const pluginLists: readonly { readonly path: readonly string[]; readonly plugins: readonly BuiltInPlugin[] }[] = [
  {
    path: ['properties', 'extender', 'properties', 'config', 'properties', 'plugins', 'items'],
    plugins: builtInPlugins.filter(decidesOnNodes),
  },
  {
    path: [
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
    plugins: builtInPlugins,
  },
]

/**
 * Validates the `args` of each built-in plugin with that plugin's own schema, selected by the plugin's name.
 *
 * @throws Error when the schema lacks one of the plugin lists.
 */
export function withPluginArgs(schema: SchemaNode): SchemaNode {
  return pluginLists.reduce<SchemaNode>(
    (node, { path, plugins }) => editAt(node, path, (entry) => ({ ...entry, allOf: argsConditions(plugins) })),
    schema,
  )
}

function argsConditions(plugins: readonly BuiltInPlugin[]): readonly SchemaNode[] {
  return plugins.flatMap(({ name, argsSchema }) =>
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
