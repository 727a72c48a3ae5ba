import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
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
 * Returns the files of a new plugin in a checkout of Berth: its package in `plugins/NAME`, and the test that runs it in its program.
 * Adjusts relative paths, because `plugins/NAME` is less deep than the folder of the example.
 *
 * @param root - Root of the checkout. The paths of the files are relative to it.
 */
export function checkoutFiles(root: string, template: TemplateKind, name: string): readonly NewFile[] {
  const folder = `plugins/${name}`
  const scenario = scenarioFile(root, template, name)
  const depth = (path: string): string => '../'.repeat(path.split('/').length)
  const ownFiles = pluginFiles(join(root, template.example), template, name).map(({ path, text }) => {
    const target = join(folder, path)
    if (path !== 'package.json') return { path: target, text: text.replaceAll(depth(template.example), depth(folder)) }
    const manifest = {
      ...(JSON.parse(text) as Record<string, unknown>),
      name: `@berth/plugin-${name}`,
      description: `${template.descriptionStart}: ${name}.`,
      berth: { scenarios: [scenario.path] },
    }
    return { path: target, text: jsonText(manifest) }
  })
  return [...ownFiles, scenario]
}

/** Returns the test that runs a new plugin in its program, as the one of the example does. */
function scenarioFile(root: string, { scenario, exampleName, example }: TemplateKind, name: string): NewFile {
  const text = readFileSync(join(root, scenario), 'utf8')
  return {
    path: join(dirname(scenario), `${name}.test.ts`),
    text: text.replaceAll(exampleName, name).replaceAll(example, `plugins/${name}`),
  }
}

/** Formats a JSON file. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}
