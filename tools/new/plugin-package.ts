import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TemplateKind } from './template-kinds.ts'

/** A file to write. */
export interface NewFile {
  /** Relative to the root of the repository. */
  readonly path: string
  readonly text: string
}

/**
 * Builds the files of a new plugin package from the example of its kind.
 *
 * @param root - Root of the repository.
 * @param name - Name of the plugin, in kebab-case; see {@link nameProblem}.
 */
export function pluginPackage(root: string, template: TemplateKind, name: string): readonly NewFile[] {
  const files = globSync('**/*', {
    cwd: join(root, template.example),
    withFileTypes: true,
    exclude: (entry) => ['node_modules', 'dist', '.turbo'].includes(entry.name),
  }).filter((entry) => entry.isFile())
  return files.map((entry) => {
    const source = join(entry.parentPath, entry.name)
    const path = source.slice(join(root, template.example).length + 1)
    const text = readFileSync(source, 'utf8')
    return { path: join('plugins', name, path), text: adapt(path, text, template, name) }
  })
}

function adapt(path: string, text: string, { exampleName, describes, example }: TemplateKind, name: string): string {
  if (path === 'package.json') {
    const manifest = JSON.parse(text) as Record<string, unknown>
    const named = { ...manifest, name: `@berth/plugin-${name}`, description: `${describes}: ${name}.` }
    return `${JSON.stringify(named, undefined, 2)}\n`
  }
  const depth = (folder: string): string => '../'.repeat(folder.split('/').length)
  return text
    .replaceAll(exampleName, name)
    .replaceAll(depth(example), depth(`plugins/${name}`))
    .replace(/^# Template: .*$/m, `# ${name}`)
}
