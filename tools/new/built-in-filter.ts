import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NewFile } from 'create-berth-plugin'

const TEMPLATES = 'tools/new/templates/built-in-filter'
const PLUGINS = 'packages/fit-engine/src/plugins'
const TABLE = 'packages/fit-engine/src/profile/built-in-plugins.ts'

/**
 * Builds the folder of a new built-in filter, and adds the filter to the end of the table of built-in plugins. It is not
 * part of the default profile: a profile names it.
 *
 * @param root - Root of the repository.
 * @param name - Name of the folder, in kebab-case. The plugin's name is the same in PascalCase.
 * @returns The files, with paths relative to the root.
 */
export function builtInFilter(root: string, name: string): readonly NewFile[] {
  const pascal = name.replaceAll(/(?:^|-)(.)/g, (_match, letter: string) => letter.toUpperCase())
  const camel = `${pascal[0]?.toLowerCase() ?? ''}${pascal.slice(1)}`
  const files = ['plugin.ts', 'hint.ts', 'plugin.test.ts'].map((file) => {
    const template = readFileSync(join(root, TEMPLATES, `${file}.txt`), 'utf8')
    const text = template
      .replaceAll('plugin-name', name)
      .replaceAll('PluginName', pascal)
      .replaceAll('pluginName', camel)
    return { path: join(PLUGINS, name, file), text }
  })
  return [...files, { path: TABLE, text: withEntry(readFileSync(join(root, TABLE), 'utf8'), { name, pascal, camel }) }]
}

function withEntry(
  table: string,
  { name, pascal, camel }: { readonly name: string; readonly pascal: string; readonly camel: string },
): string {
  const imports = [
    `import { ${camel}Hint } from '../plugins/${name}/hint.ts'`,
    `import { ${camel} } from '../plugins/${name}/plugin.ts'`,
  ]
  const entry = `  { name: '${pascal}', isDefault: false, hint: ${camel}Hint, create: () => ${camel} },`
  const lastImport = table.lastIndexOf('\nimport ')
  const afterImports = table.indexOf('\n', lastImport + 1)
  const end = table.indexOf('\n]\n', afterImports)
  return [
    table.slice(0, afterImports),
    '\n',
    imports.join('\n'),
    table.slice(afterImports, end),
    '\n',
    entry,
    table.slice(end),
  ].join('')
}
