import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A package of a fixture workspace. */
export interface FixturePackage {
  /** Its folder under packages/ and its name without the scope. */
  readonly name: string
  readonly tag: string
  /** Names without the scope. */
  readonly dependencies?: readonly string[]
  /** Text of src/index.ts. */
  readonly source: string
}

/** Writes a workspace with this repository's turbo.json, so that the test exercises the real rules. */
export function writeFixtureWorkspace(root: string, dir: string, packages: readonly FixturePackage[]): void {
  cpSync(join(root, 'turbo.json'), join(dir, 'turbo.json'))
  writeFileSync(
    join(dir, 'package.json'),
    JSON.stringify({ name: 'fixture', private: true, packageManager: 'pnpm@12.21.0' }),
  )
  writeFileSync(join(dir, 'pnpm-workspace.yaml'), 'packages: [packages/*]\n')
  for (const { name, tag, dependencies = [], source } of packages) {
    const folder = join(dir, 'packages', name)
    mkdirSync(join(folder, 'src'), { recursive: true })
    mkdirSync(join(folder, 'node_modules', '@berth'), { recursive: true })
    for (const dependency of dependencies) {
      symlinkSync(`../../../${dependency}`, join(folder, 'node_modules', '@berth', dependency))
    }
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({
        name: `@berth/${name}`,
        version: '0.0.0',
        private: true,
        type: 'module',
        exports: { '.': './src/index.ts' },
        dependencies: Object.fromEntries(dependencies.map((dependency) => [`@berth/${dependency}`, 'workspace:*'])),
      }),
    )
    writeFileSync(join(folder, 'turbo.json'), JSON.stringify({ extends: ['//'], tags: [tag] }))
    writeFileSync(join(folder, 'src', 'index.ts'), source)
  }
}

/** Runs `turbo boundaries`, the check that `npm test` runs, in a directory. */
export function runBoundaries(
  dir: string,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((resolve) => {
    execFile(
      'turbo',
      ['boundaries'],
      { cwd: dir, env: { ...env, TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1', NO_COLOR: '1' } },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
        resolve({ code, output: `${stdout}${stderr}` })
      },
    )
  })
}
