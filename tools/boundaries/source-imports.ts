import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** An import in a source file. */
export interface SourceImport {
  /** Path from the root of the repository. */
  readonly file: string
  /** As written: `@berth/types`, `@berth/process/config`. */
  readonly specifier: string
  /** Whether it is `import('…')`, which loads the module only when it is executed. */
  readonly isDynamic: boolean
}

const staticImport =
  /(?:^|\n)\s*(?:import|export)\b[^'"`;]*?\bfrom\s+'(?<specifier>[^']+)'|(?:^|\n)import\s+'(?<bare>[^']+)'/g
const dynamicImport = /\bimport\(\s*(?:\/\*[^*]*\*\/\s*)?'(?<specifier>[^']+)'/g

/** Returns the import specifiers of a module: static imports first, then dynamic ones, each in source order. */
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

/** Returns whether a file is test code: a test beside the sources, or a file in `testing` or `test`. */
export function isTestFile(file: string): boolean {
  return /\.(?:test|bench)\.ts$|\/(?:testing|test)\/|\/src\/testing\.ts$/.test(file)
}

/** Returns every import in the TypeScript files below a package's `src`. */
export function sourceImports(root: string, packagePath: string): readonly SourceImport[] {
  return globSync(`${packagePath}/src/**/*.ts`, { cwd: root })
    .toSorted()
    .flatMap((file) => importSpecifiers(readFileSync(join(root, file), 'utf8')).map((found) => ({ file, ...found })))
}
