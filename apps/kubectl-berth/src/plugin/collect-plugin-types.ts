import { readFileSync, realpathSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** The modules that a host provides to plugins, with their declarations inside the package. */
const hosted: Readonly<Record<string, string>> = {
  '@berth/plugin-api': 'dist/index.d.ts',
  '@berth/types': 'dist/index.d.ts',
  zod: 'index.d.ts',
}

const heading = `// Types of the modules that Berth provides to plugins: ${Object.keys(hosted).join(', ')}.
// Put this file beside your plugin. Written by "kubectl berth plugin types".
`

/** Specifiers of imports and exports, also of import types, in declarations that tsc wrote. */
const specifiers = /(?<before>\bfrom\s*|\bimport\s*\(\s*|\bimport\s+)(?<quote>['"])(?<name>[^'"\n]+)\k<quote>/g

/**
 * Collects the declarations of the modules that a host provides into one file. Each declaration file becomes an ambient
 * module, so the result imports nothing. The packages must be built.
 *
 * @param modules - Path of the node_modules folder with the packages.
 */
export function collectPluginTypes(modules: string): string {
  const roots = new Map(Object.keys(hosted).map((name) => [name, realpathSync(join(modules, name))]))
  const names = new Map(Object.entries(hosted).map(([name, entry]) => [join(roots.get(name) ?? '', entry), name]))
  const pending = [...names.keys()]
  const blocks: string[] = []

  /** Returns the ambient module for what a file imports, and collects that module. */
  const moduleOf = (specifier: string, file: string): string => {
    if (!specifier.startsWith('.')) return specifier
    const path = join(dirname(file), specifier.replace(/\.(?:js|ts)$/, '.d.ts'))
    const known = names.get(path)
    if (known !== undefined) return known
    const [owner = '', root = ''] = [...roots].find(([, folder]) => path.startsWith(`${folder}/`)) ?? []
    const name = `${owner}/${relative(root, path).replace(/\.d\.ts$/, '')}`
    names.set(path, name)
    pending.push(path)
    return name
  }

  for (let file = pending.shift(); file !== undefined; file = pending.shift()) {
    const text = readFileSync(file, 'utf8')
      .replaceAll(specifiers, (...match) => {
        const { before, name } = match.at(-1) as Readonly<Record<'before' | 'name', string>>
        return `${before}'${moduleOf(name, file)}'`
      })
      // Declarations in an ambient module need no `declare`.
      .replaceAll(/^(export )?declare (?!global)/gm, '$1')
      .replaceAll(/^\/\/# sourceMappingURL=.*$/gm, '')
    blocks.push(`declare module '${names.get(file) ?? ''}' {\n${text.trim()}\n}\n`)
  }
  return [heading, ...blocks].join('\n')
}
