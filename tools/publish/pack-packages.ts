import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { AvailablePackage } from './installed-packages.ts'

const run = promisify(execFile)

/**
 * Builds packages of the workspace and packs them as for a release: pnpm replaces `workspace:` and `catalog:` by versions.
 *
 * @param folders - Folders of the packages, relative to the root.
 * @param target - Folder for the tarballs.
 */
export async function packPackages(
  root: string,
  folders: readonly string[],
  target: string,
): Promise<readonly AvailablePackage[]> {
  const filters = folders.map((folder) => `--filter=./${folder}`)
  await run('turbo', ['run', 'build', '--output-logs=errors-only', ...filters], { cwd: root })
  const packed: AvailablePackage[] = []
  for (const folder of folders) {
    const { stdout } = await run(
      'node',
      [join(root, 'tools/pnpm.mjs'), 'pack', '--json', '--pack-destination', target],
      { cwd: join(root, folder) },
    )
    const { filename } = JSON.parse(stdout.slice(stdout.indexOf('{'))) as { readonly filename: string }
    const manifest = JSON.parse(await readPacked(filename, 'package.json')) as AvailablePackage['manifest']
    packed.push({ name: String(manifest['name']), version: String(manifest['version']), manifest, path: filename })
  }
  return packed
}

/** Returns the text of a file in a packed package. */
export async function readPacked(tarball: string, path: string): Promise<string> {
  return (await run('tar', ['-xzOf', tarball, `package/${path}`])).stdout
}

/** Lists the files in a packed package, sorted. */
export async function listPacked(tarball: string): Promise<readonly string[]> {
  const { stdout } = await run('tar', ['-tzf', tarball])
  return stdout
    .split('\n')
    .filter((path) => path !== '')
    .map((path) => path.replace(/^package\//, ''))
    .toSorted()
}
