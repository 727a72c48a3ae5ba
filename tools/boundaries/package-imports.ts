import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import type { ImportGraph } from './import-cycles.ts'
import { importSpecifiers, isTestFile } from './source-imports.ts'

/**
 * Reads the relative imports of a package's sources, including type imports and excluding tests.
 *
 * @param root - Root of the repository.
 * @param path - The package, relative to the root.
 */
export function packageImports(root: string, path: string): ImportGraph {
  const folder = join(root, path)
  const files = globSync('**/*.ts', { cwd: folder, exclude: (name) => name === 'node_modules' || name === 'dist' })
  return new Map(
    files
      .filter((file) => !isTestFile(`/${file}`) && !file.includes('gen/'))
      .toSorted()
      .map((file) => [file, relativeImports(file, readFileSync(join(folder, file), 'utf8'))]),
  )
}

function relativeImports(file: string, text: string): readonly string[] {
  return importSpecifiers(text)
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ specifier }) => normalize(join(dirname(file), specifier)))
}
