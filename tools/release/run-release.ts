import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Artefact } from './artefact.ts'
import { runProgram } from './run-program.ts'
import { ReleaseError, type ReleaseContext, type ReleaseStep } from './step.ts'

/** A release and how to make it. */
export interface ReleaseOptions {
  /** In the order in which they run. */
  readonly steps: readonly ReleaseStep[]
  readonly context: Omit<ReleaseContext, 'workDir'>
  /** Whether to build everything a second time and to compare the digests. */
  readonly isBuiltTwice: boolean
  /** Builds all packages of the workspace. `isForced`: although nothing changed. */
  readonly buildWorkspace: (isForced: boolean) => Promise<void>
}

/** Files of a release, and its checks. */
export interface Release {
  readonly artefacts: readonly Artefact[]
  /** Sentences about what was checked. */
  readonly checked: readonly string[]
}

/**
 * Makes the files of a release, checks them, and makes them again.
 *
 * @throws ReleaseError for a failed check or a file that differs the second time.
 */
export async function runRelease(options: ReleaseOptions): Promise<Release> {
  const { context, steps, isBuiltTwice, buildWorkspace } = options
  const first = await withWorkDir(context, async (ready) => {
    await buildWorkspace(false)
    const artefacts = await buildAll(steps, ready)
    const checked: string[] = []
    for (const step of steps) {
      context.log(`check ${step.name}`)
      for (const sentence of await step.check(ready)) checked.push(`${step.name}: ${sentence}`)
    }
    return { artefacts, checked }
  })
  if (!isBuiltTwice) return first
  const second = await withWorkDir({ ...context, out: join(context.out, '.again') }, async (ready) => {
    context.log('building everything a second time')
    await buildWorkspace(true)
    const artefacts = await buildAll(steps, ready)
    await rm(ready.out, { recursive: true })
    return artefacts
  })
  const sentence = `built twice: ${compareBuilds(first.artefacts, second)} files have the same digests`
  return { artefacts: first.artefacts, checked: [...first.checked, sentence] }
}

/**
 * Compares two builds of one commit.
 *
 * @returns The number of files that are equal.
 * @throws ReleaseError with the names of files that differ.
 */
export function compareBuilds(first: readonly Artefact[], second: readonly Artefact[]): number {
  const digests = new Map(second.map(({ file, sha256 }) => [file, sha256]))
  const expected = first.filter(({ isReproducible }) => isReproducible)
  const different = expected.filter(({ file, sha256 }) => digests.get(file) !== sha256).map(({ file }) => file)
  if (different.length > 0) throw new ReleaseError(`the second build differs: ${different.join(', ')}`)
  return expected.length
}

async function buildAll(steps: readonly ReleaseStep[], context: ReleaseContext): Promise<readonly Artefact[]> {
  const artefacts: Artefact[] = []
  for (const step of steps) {
    context.log(`build ${step.name}`)
    artefacts.push(...(await step.build(context)))
  }
  return artefacts
}

async function withWorkDir<T>(
  context: Omit<ReleaseContext, 'workDir'>,
  use: (context: ReleaseContext) => Promise<T>,
): Promise<T> {
  const workDir = join(context.out, '.work')
  await emptyFolder(context.out)
  await mkdir(workDir)
  try {
    return await use({ ...context, workDir })
  } finally {
    await rm(workDir, { recursive: true, force: true })
  }
}

/** Marks a folder that holds nothing but a release. */
const MARK = '.berth-release'

/** Empties a folder, or creates it. Throws a ReleaseError for a folder that holds something else than a release. */
async function emptyFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const files = await readdir(folder)
  if (files.length > 0 && !files.includes(MARK))
    throw new ReleaseError(
      `empty ${folder}: it holds other files than a release. Name another folder with --out, or delete it`,
    )
  for (const file of files) await rm(join(folder, file), { recursive: true })
  await writeFile(join(folder, MARK), '')
}

/** Returns the time of the current commit, in seconds since 1970. */
export async function commitSeconds(root: string): Promise<number> {
  return Number((await runProgram('git', ['log', '-1', '--format=%ct'], { cwd: root })).stdout.trim())
}
