import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { CannotRunError } from '../cluster/cannot-run.ts'
import { runCommand } from '../cluster/run-command.ts'

/**
 * Returns the path of a program of a Debian package: the one on PATH, or one unpacked into the cache directory. Does not
 * install the package, because its services would start.
 *
 * @throws CannotRunError that says what to install
 */
export async function debianProgram(packageName: string, program: string): Promise<string> {
  if ((await runCommand(program, ['--version'])).status === 0) return program
  return join(await unpackedPackages(packageName, async () => [packageName]), 'usr/bin', program)
}

/**
 * Returns the path of a folder with the files of a Debian package, and of the packages that it needs and that are not
 * installed. They are unpacked into the cache directory, and not installed.
 *
 * @throws CannotRunError that says what to install
 */
export function unpackedWithDependencies(packageName: string): Promise<string> {
  return unpackedPackages(packageName, async () => {
    const install = ['--simulate', '--no-install-recommends', 'install', packageName]
    let result = await runCommand('apt-get', install)
    if (result.status !== 0) {
      await updatePackageLists()
      result = await runCommand('apt-get', install)
    }
    return [...result.stdout.matchAll(/^Inst (\S+)/gm)].map(([, name = '']) => name)
  })
}

async function unpackedPackages(packageName: string, namesOf: () => Promise<readonly string[]>): Promise<string> {
  const cacheDir = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'berth')
  const unpacked = join(cacheDir, `debian-${packageName}`)
  if (existsSync(unpacked)) return unpacked
  await mkdir(cacheDir, { recursive: true })
  const folder = await mkdtemp(join(cacheDir, `.${packageName}-`))
  try {
    const names = await namesOf()
    const download = (): ReturnType<typeof runCommand> =>
      runCommand('apt-get', ['download', ...names], { cwd: folder, timeoutMs: 300_000 })
    let result = await download()
    if (result.status !== 0) {
      await updatePackageLists()
      result = await download()
    }
    const archives = (await readdir(folder)).filter((name) => name.endsWith('.deb'))
    if (archives.length === 0 || archives.length < names.length)
      throw new CannotRunError(
        `download ${packageName}: ${result.stderr.trim()}. Install Debian's package ${packageName}.`,
      )
    for (const archive of archives) {
      const { status, stderr } = await runCommand('dpkg-deb', ['--extract', archive, 'files'], { cwd: folder })
      if (status !== 0) throw new CannotRunError(`unpack ${archive}: ${stderr.trim()}`)
    }
    // Another run may have been faster.
    await rename(join(folder, 'files'), unpacked).catch(() => {})
    return unpacked
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function updatePackageLists(): Promise<void> {
  await runCommand('apt-get', ['update'], { timeoutMs: 300_000 })
}
