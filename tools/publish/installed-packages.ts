import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A package that npm can install. */
export interface AvailablePackage {
  readonly name: string
  readonly version: string
  /** Its package.json. */
  readonly manifest: Readonly<Record<string, unknown>>
  /** A folder with the files of the package, or a tarball of them. */
  readonly path: string
}

/** Lists every package from outside that pnpm installed in the workspace, in each version. */
export function installedPackages(root: string): readonly AvailablePackage[] {
  const store = join(root, 'node_modules/.pnpm')
  return globSync('*/node_modules/{*,@*/*}/package.json', { cwd: store })
    .map((file) => {
      const manifest = JSON.parse(readFileSync(join(store, file), 'utf8')) as AvailablePackage['manifest']
      const { name, version } = manifest
      return { name: String(name), version: String(version), manifest, path: join(store, dirname(file)) }
    })
    .filter(({ name, path }) => path.endsWith(`/node_modules/${name}`))
}
