import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TemplateKind } from './template-kinds.ts'

/** A file to write. */
export interface NewFile {
  /** Relative to the folder of the new package. */
  readonly path: string
  readonly text: string
}

/** Lists the files of a template, relative to its folder. Omits dependencies and build results. */
export function templateFiles(folder: string): readonly string[] {
  return globSync('**/*', {
    cwd: folder,
    withFileTypes: true,
    exclude: (entry) => ['node_modules', 'dist', '.turbo'].includes(entry.name),
  })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted()
}

/**
 * Reads the files of a template and replaces the name of its plugin by that of the new one.
 *
 * @param folder - Folder of the template.
 * @param name - Name of the plugin, in kebab-case; see {@link nameProblem}.
 */
export function pluginFiles(folder: string, { exampleName }: TemplateKind, name: string): readonly NewFile[] {
  return templateFiles(folder).map((path) => {
    const text = readFileSync(join(folder, path), 'utf8')
    return { path, text: text.replaceAll(exampleName, name).replace(/^# Template: .*$/m, `# ${name}`) }
  })
}

/**
 * Returns the files of a new plugin package in a checkout of Berth. Adjusts relative paths, because `plugins/NAME` is less deep
 * than the folder of the example.
 *
 * @param root - Root of the checkout.
 */
export function checkoutFiles(root: string, template: TemplateKind, name: string): readonly NewFile[] {
  const depth = (folder: string): string => '../'.repeat(folder.split('/').length)
  return pluginFiles(join(root, template.example), template, name).map(({ path, text }) => {
    if (path !== 'package.json') {
      return { path, text: text.replaceAll(depth(template.example), depth(`plugins/${name}`)) }
    }
    // The key `berth` lists scenarios of the example, which the new package does not have.
    const { berth: _, ...manifest } = JSON.parse(text) as Record<string, unknown>
    const named = { ...manifest, name: `@berth/plugin-${name}`, description: `${template.descriptionStart}: ${name}.` }
    return { path, text: jsonText(named) }
  })
}

/** Formats a JSON file. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}
