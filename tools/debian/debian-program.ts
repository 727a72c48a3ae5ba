import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { errorText } from '@berth/text/error-text'
import { aptGet, downloadPackages, unpackPackage } from './apt-packages.ts'

/**
 * Returns the path of a program of a Debian package: the one on PATH, or one unpacked into the cache directory. Does not
 * install the package, because its services would start.
 *
 * @throws Error that says what to install
 */
export async function debianProgram(packageName: string, program: string): Promise<string> {
  if (await runs(program)) return program
  return join(await unpackedPackages(packageName, async () => [packageName]), 'usr/bin', program)
}

/**
 * Returns the path of a folder with the files of a Debian package, and of the packages that it needs and that are not
 * installed. They are unpacked into the cache directory, and not installed.
 *
 * @throws Error that says what to install
 */
export function unpackedWithDependencies(packageName: string): Promise<string> {
  return unpackedPackages(packageName, async () => {
    const simulated = await aptGet(['--simulate', '--no-install-recommends', 'install', packageName])
    return [...simulated.matchAll(/^Inst (\S+)/gm)].map(([, name = '']) => name)
  })
}

async function runs(program: string): Promise<boolean> {
  return await promisify(execFile)(program, ['--version']).then(
    () => true,
    () => false,
  )
}

async function unpackedPackages(packageName: string, namesOf: () => Promise<readonly string[]>): Promise<string> {
  const cacheDir = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'berth')
  const unpacked = join(cacheDir, `debian-${packageName}`)
  if (existsSync(unpacked)) return unpacked
  await mkdir(cacheDir, { recursive: true })
  const folder = await mkdtemp(join(cacheDir, `.${packageName}-`))
  try {
    const names = await namesOf()
    for (const archive of await downloadPackages(names, folder)) await unpackPackage(archive, join(folder, 'files'))
    // Another run may have been faster.
    await rename(join(folder, 'files'), unpacked).catch(() => {})
    return unpacked
  } catch (cause) {
    throw new Error(`download ${packageName}: ${errorText(cause)}. Install Debian's package ${packageName}.`, { cause })
  } finally {
    await rm(folder, { recursive: true })
  }
}
