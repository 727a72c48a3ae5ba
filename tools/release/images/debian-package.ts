import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { downloadPackages } from '../../debian/apt-packages.ts'
import { sha256Of } from '../artefact.ts'
import { runProgram } from '../run-program.ts'
import { ReleaseError } from '../step.ts'
import type { Target } from '../executables/targets.ts'
import locked from './debian-packages.json' with { type: 'json' }

/** A Debian package of the release base, in one version. */
export interface DebianPackage {
  readonly name: string
  readonly version: string
  readonly sha256: Readonly<Record<Target['arch'], string>>
}

/** The packages of the release base, and the suite of Debian that they come from. */
export const releaseBase: { readonly suite: string; readonly packages: readonly DebianPackage[] } = locked

/**
 * Returns the paths of the packages of the release base for an architecture. Downloads them once with apt, whatever the
 * suite and architecture of this machine, and compares each with its pinned digest.
 *
 * @throws ReleaseError that says how to renew the pins when Debian no longer has a version.
 */
export async function downloadBase(arch: Target['arch'], cacheDir: string): Promise<readonly string[]> {
  const folder = join(cacheDir, 'debian', arch)
  await mkdir(folder, { recursive: true })
  const missing = releaseBase.packages.filter(({ sha256 }) => !existsSync(join(folder, `${sha256[arch]}.deb`)))
  if (missing.length > 0) await download(missing, arch, folder)
  return releaseBase.packages.map(({ sha256 }) => join(folder, `${sha256[arch]}.deb`))
}

async function download(packages: readonly DebianPackage[], arch: Target['arch'], folder: string): Promise<void> {
  // Releases that are made at the same time share the packages, but no unfinished download.
  const apt = await mkdtemp(join(folder, '.apt-'))
  for (const dir of ['state/lists/partial', 'cache/archives/partial', 'debs'])
    await mkdir(join(apt, dir), { recursive: true })
  await writeFile(join(apt, 'status'), '')
  await writeFile(join(apt, 'sources.list'), `deb [signed-by=${KEYRING}] ${await mirror()} ${releaseBase.suite} main\n`)
  const settings = [
    `Dir::Etc::SourceList=${apt}/sources.list`,
    'Dir::Etc::SourceParts=/dev/null',
    `Dir::State=${apt}/state`,
    `Dir::State::status=${apt}/status`,
    `Dir::Cache=${apt}/cache`,
    `APT::Architecture=${arch}`,
    `APT::Architectures=${arch}`,
    'APT::Sandbox::User=',
    'Acquire::Languages=none',
  ]
  try {
    const names = packages.map(({ name, version }) => `${name}=${version}`)
    for (const file of await downloadPackages(names, join(apt, 'debs'), settings))
      await accept(file, packages, arch, folder)
  } catch (cause) {
    const hint = 'a version that Debian no longer has needs a newer one in tools/release/images/debian-packages.json'
    throw new ReleaseError(`download Debian packages for ${arch}: ${(cause as Error).message} (${hint})`, { cause })
  } finally {
    await rm(apt, { recursive: true })
  }
}

async function accept(file: string, packages: readonly DebianPackage[], arch: Target['arch'], folder: string) {
  const digest = await sha256Of(file)
  if (!packages.some(({ sha256 }) => sha256[arch] === digest))
    throw new ReleaseError(`${file}: SHA-256 ${digest} is not pinned`)
  await rename(file, join(folder, `${digest}.deb`))
}

const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'

/** Returns the URL of the Debian mirror that this machine uses. */
async function mirror(): Promise<string> {
  const { stdout } = await runProgram('apt-get', ['indextargets', '--format', '$(LABEL) $(REPO_URI)'])
  const [, url] = /^Debian (\S+)$/m.exec(stdout) ?? []
  if (url === undefined)
    throw new ReleaseError("find Debian's packages: apt has no mirror of Debian; run apt-get update")
  return url
}
