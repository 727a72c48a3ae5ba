import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { CannotRunError } from '../cluster/cannot-run.ts'
import type { ChartVersion } from '../cluster/release.ts'
import { runCommand, runOrThrow } from '../cluster/run-command.ts'
import type { TestEnvironment } from '../cluster/test-environment.ts'
import { REPOSITORY } from './app-image.ts'

/** The commit that the scenario of upgrades uses as the previous release: its chart, and an image of its apps. */
export const PREVIOUS_COMMIT = 'd5a9ae5546b6944a66c782d8c2bd67c1b02b6e0a'
const root = join(import.meta.dirname, '..', '..')

/**
 * Builds the image of {@link PREVIOUS_COMMIT} with the tools of that commit, or finds it in the engine. The sources are in
 * the user's cache, not in the working tree.
 *
 * @throws CannotRunError if this clone does not have the commit.
 * @throws Error with the end of the output of the failed command.
 */
export async function buildPreviousRelease(
  { engine, isOffline }: Pick<TestEnvironment, 'engine' | 'isOffline'>,
  log: (text: string) => void,
): Promise<ChartVersion> {
  const folder = await extractSources()
  const chart = join(folder, 'charts', 'berth')
  const image = `${REPOSITORY}-previous:${PREVIOUS_COMMIT.slice(0, 12)}`
  if ((await runCommand(engine, ['image', 'inspect', image])).status === 0) return { chart, image }
  log(`building ${image} (some minutes)`)
  const flags = ['--tag', image, '--engine', engine, ...(isOffline ? ['--offline'] : [])]
  // Installs the dependencies of that commit first.
  await runOrThrow('npm', ['run', 'image', '--', ...flags], { cwd: folder, timeoutMs: 20 * 60_000 })
  return { chart, image }
}

/** Writes the files of the commit into the cache, unless they are there. Returns their folder. */
async function extractSources(): Promise<string> {
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'berth')
  const folder = join(cache, `commit-${PREVIOUS_COMMIT.slice(0, 12)}`)
  if (existsSync(folder)) return folder
  const git = await runCommand('git', ['cat-file', '-e', `${PREVIOUS_COMMIT}^{commit}`], { cwd: root })
  if (git.status !== 0)
    throw new CannotRunError(
      `This clone does not have the commit ${PREVIOUS_COMMIT.slice(0, 12)}, from which the scenario upgrades. Fetch the whole history: git fetch --unshallow`,
    )
  const unfinished = `${folder}.new`
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(unfinished, { recursive: true })
  const archive = join(unfinished, 'sources.tar')
  await runOrThrow('git', ['archive', '--output', archive, PREVIOUS_COMMIT], { cwd: root })
  await runOrThrow('tar', ['-C', unfinished, '-xf', archive])
  await rm(archive)
  await rename(unfinished, folder)
  return folder
}
