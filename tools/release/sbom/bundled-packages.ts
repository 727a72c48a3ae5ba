import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
// @boundaries-ignore the packages of the page, which only its bundler knows
import { pageInputs } from '../../../apps/kubectl-berth/src/ui/bundle-page.ts'
// @boundaries-ignore the same packages as in the notices
import { packageFolders } from '../../../bundled-notices.ts'
import { bundles } from '../images/image-spec.ts'
import { ReleaseError } from '../step.ts'

/** A package from npm of which a bundle contains files. */
export interface BundledPackage {
  readonly name: string
  readonly version: string
  /** SPDX expression of its package.json. Empty without one. */
  readonly licence: string
  /** Of its tarball, as in the lockfile. */
  readonly integrity: string
  /** Where it is installed. */
  readonly folder: string
}

const installed = /node_modules\/\.pnpm\/[^/]+\/node_modules\/((?:@[^/]+\/)?[^/]+)\//
const page = 'apps/kubectl-berth/src/ui/page'

/**
 * Lists the packages from npm in the bundles of all apps, by name. The source maps of the bundles name every file, but for the
 * page of `kubectl berth ui`, which is a text inside the bundle.
 *
 * @throws ReleaseError for a package that the lockfile does not name.
 */
export async function bundledPackages(root: string): Promise<readonly BundledPackage[]> {
  const folders = new Set(packageFolders(await pageInputs(join(root, page))))
  for (const [bundle] of bundles) {
    const { sources } = JSON.parse(readFileSync(join(root, `${bundle}.map`), 'utf8')) as { sources: readonly string[] }
    for (const source of sources) {
      const [path] = installed.exec(source) ?? []
      // The source map of a published file also names what that file copied from packages that are not installed.
      if (path !== undefined && existsSync(join(root, path, 'package.json'))) folders.add(join(root, path))
    }
  }
  const lockfile = parse(readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8').replace(/^[^]*\n---\n/, '')) as Lockfile
  return [...folders]
    .map((folder) => describePackage(folder, lockfile))
    .toSorted((a, b) => compare(a.name, b.name) || compare(a.version, b.version))
}

interface Lockfile {
  readonly packages: Readonly<Record<string, { readonly resolution: { readonly integrity: string } }>>
}

function describePackage(folder: string, { packages }: Lockfile): BundledPackage {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly name: string
    readonly version: string
    readonly license?: unknown
  }
  const integrity = packages[`${name}@${version}`]?.resolution.integrity
  if (integrity === undefined) throw new ReleaseError(`pnpm-lock.yaml does not name ${name}@${version}`)
  return { name, version, licence: typeof license === 'string' ? license : '', integrity, folder }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
