import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkoutFiles, type NewFile, type TemplateKind } from 'create-berth-plugin'

const PAGE = 'ARCHITECTURE.md'
/** Start of the row of ARCHITECTURE.md that lists the plugins of a kind. */
const rows: Readonly<Record<string, string>> = {
  'scheduling-plugin': '| `plugins/*`: scheduling | ',
  'device-source': '| `plugins/*`: device sources | ',
  'resource-source': '| `plugins/*`: resource sources | ',
}

/**
 * Builds a plugin package and the test that runs it in its program, and lists the package in ARCHITECTURE.md.
 *
 * @param root - Root of the repository.
 * @param name - Name of the plugin, in kebab-case.
 * @returns The files, with paths relative to the root.
 */
export function pluginPackage(root: string, template: TemplateKind, name: string): readonly NewFile[] {
  const page = readFileSync(join(root, PAGE), 'utf8')
  return [...checkoutFiles(root, template, name), { path: PAGE, text: withName(page, rows[template.kind] ?? '', name) }]
}

/** Inserts a name into the sorted list of a row. */
function withName(page: string, row: string, name: string): string {
  const start = page.indexOf(row) + row.length
  const end = page.indexOf(' |', start)
  const names = [...page.slice(start, end).split(', '), `\`${name}\``].toSorted()
  return `${page.slice(0, start)}${names.join(', ')}${page.slice(end)}`
}
