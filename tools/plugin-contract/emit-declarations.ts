import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The entries of the contract, below `packages`. */
const entries = ['plugin-api/src/index.ts', 'plugin-api/src/testing.ts']

/** The packages whose types the contract uses. Resolved by path, because the compiler emits nothing for a dependency. */
const sources = {
  '@berth/types': 'types/src/index.ts',
  '@berth/clock': 'clock/src/index.ts',
  '@berth/clock/testing': 'clock/src/testing.ts',
  '@berth/text/*': 'text/src/*.ts',
}

/** Returns the text of each declaration file that the compiler emits for the contract, by path below `packages`. */
export function emitDeclarations(root: string): ReadonlyMap<string, string> {
  return inScratchFolder(root, (dir) => {
    const packages = join(root, 'packages')
    const compilerOptions = {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      removeComments: true,
      rootDir: packages,
      paths: Object.fromEntries(Object.entries(sources).map(([name, path]) => [name, [join(packages, path)]])),
      outDir: join(dir, 'out'),
    }
    const files = entries.map((entry) => join(packages, entry))
    const config = { extends: join(root, 'packages/plugin-api/tsconfig.json'), compilerOptions, include: [], files }
    writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify(config))
    execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', join(dir, 'tsconfig.json')], { stdio: 'pipe' })
    const out = join(dir, 'out')
    const paths = globSync('**/*.d.ts', { cwd: out }).toSorted()
    return new Map(paths.map((path) => [path, readFileSync(join(out, path), 'utf8')]))
  })
}

/** Runs `use` with an empty folder from which the imports of the contract resolve, and removes the folder. */
export function inScratchFolder<T>(root: string, use: (dir: string) => T): T {
  const dir = mkdtempSync(join(root, 'packages/plugin-api/node_modules/.contract-'))
  try {
    return use(dir)
  } finally {
    rmSync(dir, { recursive: true })
  }
}
