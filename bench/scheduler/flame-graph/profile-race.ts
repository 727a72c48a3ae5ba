import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { SourceMapPayload } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type RaceResult, runRace } from '../run-race.ts'
import { schedulerBundle, startRunner } from '../start-runner.ts'
import type { Workload } from '../workloads/workload.ts'
import { flameGraphSvg } from './flame-graph-svg.ts'
import { type CpuProfile, mergeStacks } from './merge-stacks.ts'
import { sourceNames } from './source-names.ts'

const SAMPLE_US = 200

/** A case whose flame graph is drawn. */
export interface ProfiledCase {
  readonly name: string
  readonly title: string
  readonly workload: Workload
}

/**
 * Places the pods of a case with Berth under Node's CPU profiler, and writes `NAME-flame-graph.svg`: where the main thread spends its
 * time between the first bind and the last.
 *
 * @param bundle - Another `main.js` of the scheduler, with its source map beside it, such as that of an earlier version.
 *   Default: the built one.
 * @throws WrongResultError, Error as {@link runRace}
 */
export async function profileRace(
  { name, title, workload }: ProfiledCase,
  { dir, bundle = schedulerBundle }: { readonly dir: string; readonly bundle?: string | undefined },
): Promise<void> {
  const profiles = mkdtempSync(join(tmpdir(), 'berth-profile-'))
  try {
    const nodeFlags = ['--cpu-prof', `--cpu-prof-dir=${profiles}`, `--cpu-prof-interval=${SAMPLE_US}`]
    const result = await runRace('berth', { workload }, (server) => {
      const started = startRunner('berth', server, { bundle, nodeFlags })
      // Node writes the profile when it ends by itself.
      return { ...started, [Symbol.asyncDispose]: () => started.stop() }
    })
    const [file] = readdirSync(profiles)
    if (file === undefined) throw new Error('profile the scheduler: it did not write a profile when it was stopped')
    const profile = JSON.parse(readFileSync(join(profiles, file), 'utf8')) as CpuProfile
    const map = JSON.parse(readFileSync(`${bundle}.map`, 'utf8')) as SourceMapPayload
    const root = mergeStacks(profile, sourceNames(basename(bundle), map), timedSpan(profile, result))
    if (root.us === 0) throw new Error('profile the scheduler: the profile has no samples of the measured time')
    const pods = result.times.bound.size
    const note = `main thread, ${Math.round(root.us / pods)} us for a pod under the profiler; the width of a frame is its share of the time`
    mkdirSync(dir, { recursive: true })
    writeFileSync(join(dir, `${name}-flame-graph.svg`), flameGraphSvg(title, note, root))
  } finally {
    rmSync(profiles, { recursive: true })
  }
}

/** Returns the measured time of a race in microseconds since the start of the profile. Both clocks count from the boot of the machine. */
function timedSpan({ startTime }: CpuProfile, { startMs, times }: RaceResult): Parameters<typeof mergeStacks>[2] {
  const originUs = Number(process.hrtime.bigint() / 1_000n) - performance.now() * 1_000
  const sinceStart = (ms: number): number => originUs + ms * 1_000 - startTime
  return { fromUs: sinceStart(startMs), toUs: sinceStart(Math.max(...times.bound.values())) }
}
