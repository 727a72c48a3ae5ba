import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** One import of another room. */
export interface SourceImport {
  /** From the root of the repository. */
  readonly file: string
  /** As written: `@berth/types`, `@berth/process/config`. */
  readonly specifier: string
  /** `import('…')`: loaded only when it is reached. */
  readonly isDynamic: boolean
}

const staticImport =
  /(?:^|\n)\s*(?:import|export)\b[^'"`;]*?\bfrom\s+'(?<specifier>[^']+)'|(?:^|\n)import\s+'(?<bare>[^']+)'/g
const dynamicImport = /\bimport\(\s*(?:\/\*[^*]*\*\/\s*)?'(?<specifier>[^']+)'/g

/** Import specifiers of a module's text, in order of kind, then of place. */
export function importSpecifiers(text: string): readonly Omit<SourceImport, 'file'>[] {
  const found = [...text.matchAll(staticImport)].map(({ groups }) => ({
    specifier: groups?.['specifier'] ?? groups?.['bare'] ?? '',
    isDynamic: false,
  }))
  const lazy = [...text.matchAll(dynamicImport)].map(({ groups }) => ({
    specifier: groups?.['specifier'] ?? '',
    isDynamic: true,
  }))
  return [...found, ...lazy]
}

/** Whether a file is test code: beside the sources, in `testing`, or in `test`. */
export function isTestFile(file: string): boolean {
  return /\.(?:test|bench)\.ts$|\/(?:testing|test)\/|\/src\/testing\.ts$/.test(file)
}

/** Every import in a room's TypeScript files below `src`. */
export function sourceImports(root: string, room: string): readonly SourceImport[] {
  return globSync(`${room}/src/**/*.ts`, { cwd: root })
    .toSorted()
    .flatMap((file) => importSpecifiers(readFileSync(join(root, file), 'utf8')).map((found) => ({ file, ...found })))
}
