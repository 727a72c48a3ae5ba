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
  const cacheDir = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'berth')
  const unpacked = join(cacheDir, `debian-${packageName}`)
  const binary = join(unpacked, 'usr/bin', program)
  if (existsSync(binary)) return binary
  await mkdir(cacheDir, { recursive: true })
  const folder = await mkdtemp(join(cacheDir, `.${packageName}-`))
  try {
    const download = (): ReturnType<typeof runCommand> =>
      runCommand('apt-get', ['download', packageName], { cwd: folder, timeoutMs: 300_000 })
    let result = await download()
    if (result.status !== 0) {
      await runCommand('apt-get', ['update'], { timeoutMs: 300_000 })
      result = await download()
    }
    const archive = (await readdir(folder)).find((name) => name.endsWith('.deb'))
    if (archive === undefined)
      throw new CannotRunError(`find ${program}: ${result.stderr.trim()}. Install Debian's package ${packageName}.`)
    const { status, stderr } = await runCommand('dpkg-deb', ['--extract', archive, 'files'], { cwd: folder })
    if (status !== 0) throw new CannotRunError(`unpack ${archive}: ${stderr.trim()}`)
    // Another run may have been faster.
    await rename(join(folder, 'files'), unpacked).catch(() => {})
    return binary
  } finally {
    await rm(folder, { recursive: true })
  }
}
