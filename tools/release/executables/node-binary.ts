import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { runProgram } from '../run-program.ts'
import { ReleaseError } from '../step.ts'
import type { Target } from './targets.ts'
import integrities from './node-integrity.json' with { type: 'json' }

/** Path of Node's licence, which covers the libraries in it: that of the Node that runs this program, whose version is the same. */
export const nodeLicence: string = join(dirname(process.execPath), '../LICENSE')

/** Returns the pinned integrity of a version of a package. Undefined for other versions. */
export function pinnedIntegrity(nodePackage: string, version: string): string | undefined {
  return (integrities as Readonly<Record<string, string>>)[`${nodePackage}@${version}`]
}

/**
 * Returns the path of Node for a platform, in the version of this process. Downloads its npm package once, without
 * installing it, and compares it with the pinned integrity.
 *
 * @throws ReleaseError
 */
export async function nodeBinary({ nodePackage, nodeFile }: Target, cacheDir: string): Promise<string> {
  const { node: version } = process.versions
  const integrity = pinnedIntegrity(nodePackage, version)
  if (integrity === undefined)
    throw new ReleaseError(
      `find ${nodePackage}@${version}: node-integrity.json does not pin it. Add: npm view ${nodePackage}@${version} dist.integrity`,
    )
  const binary = join(cacheDir, `${nodePackage}-${version}`)
  if (existsSync(binary)) return binary
  await mkdir(cacheDir, { recursive: true })
  const folder = await mkdtemp(join(cacheDir, `.${nodePackage}-`))
  try {
    await runProgram('npm', ['pack', '--silent', '--pack-destination', folder, `${nodePackage}@${version}`])
    const [tarball = ''] = await readdir(folder)
    const digest = createHash('sha512').update(await readFile(join(folder, tarball)))
    if (`sha512-${digest.digest('base64')}` !== integrity)
      throw new ReleaseError(`download ${nodePackage}@${version}: the package differs from its pinned integrity`)
    await runProgram('tar', ['-xzf', join(folder, tarball), '-C', folder, `package/${nodeFile}`])
    const unpacked = join(folder, 'package', nodeFile)
    await chmod(unpacked, 0o755)
    await rename(unpacked, binary)
    return binary
  } finally {
    await rm(folder, { recursive: true })
  }
}
