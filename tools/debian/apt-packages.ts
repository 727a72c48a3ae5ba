import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const TIMEOUT_MS = 300_000
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024

/** Options of {@link aptGet}. */
interface AptOptions {
  /** Settings of apt, such as `Dir::State=/tmp/apt`. Default: those of this machine. */
  readonly settings?: readonly string[]
  readonly cwd?: string
}

/**
 * Runs apt-get. If it fails, updates the package lists and runs it again.
 *
 * @returns Its standard output.
 * @throws Error of the second attempt.
 */
export async function aptGet(args: readonly string[], { settings = [], cwd }: AptOptions = {}): Promise<string> {
  const options = settings.flatMap((setting) => ['-o', setting])
  const call = (words: readonly string[]): ReturnType<typeof run> =>
    run('apt-get', [...options, '--quiet', ...words], {
      timeout: TIMEOUT_MS,
      maxBuffer: MAX_OUTPUT_BYTES,
      ...(cwd !== undefined && { cwd }),
    })
  try {
    return String((await call(args)).stdout)
  } catch {
    // The error that counts is that of the second attempt.
    await call(['update']).catch(() => undefined)
    return String((await call(args)).stdout)
  }
}

/**
 * Downloads packages into a folder, without installing them.
 *
 * @param names - Names as apt takes them: `libc6` or `libc6=2.41-12`.
 * @returns The paths of all packages in the folder.
 * @throws Error unless there are as many as names.
 */
export async function downloadPackages(
  names: readonly string[],
  folder: string,
  settings?: readonly string[],
): Promise<readonly string[]> {
  await aptGet(['download', ...names], { cwd: folder, ...(settings && { settings }) })
  const archives = (await readdir(folder)).filter((name) => name.endsWith('.deb'))
  if (archives.length < names.length)
    throw new Error(`apt-get downloaded ${archives.length} of ${names.length} packages`)
  return archives.map((name) => join(folder, name))
}

/** Unpacks the files of a package into a folder. */
export async function unpackPackage(archive: string, folder: string): Promise<void> {
  await run('dpkg-deb', ['--extract', archive, folder])
}
