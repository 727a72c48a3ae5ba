import type { SystemFault } from './faults/system-fault.ts'
import { faultRows } from './faults/system-faults.ts'
import { startWorkload } from './world/workload.ts'
import { startWorld } from './world/world.ts'
import { pick } from './world/pick.ts'

const STEPS = 8
const MAX_PAUSE_MS = 15_000
/**
 * Longer than everything that waits on purpose after a fault: 60 s for a bind whose response was lost, the detection of a
 * silent watch, and the backoffs. Shorter than the 5 min after which the scheduler tries every pod again.
 */
const SETTLE_MS = 180_000
/** Longer than all jobs of a run need one after another. */
const JOBS_MS = 600_000
const JOB_STEP_MS = 5_000
const REST_MS = 60_000
/** The scheduler tries every pod again within this time. Every tenth run rests so long. */
const RETRY_ALL_MS = 330_000

/** What became of one seed. */
export interface SeedResult {
  readonly seed: number
  /** Violations, one sentence each. */
  readonly problems: readonly string[]
  /** The faults in their order. */
  readonly faults: readonly string[]
  /** Number of injections by name. */
  readonly counts: Readonly<Record<string, number>>
  /** Equal for two runs of the same seed: a digest of the audit log. */
  readonly digest: string
}

/** Runs all apps through a few faults that the seed chooses, and judges the invariants. */
export async function runSeed(seed: number): Promise<SeedResult> {
  const world = await startWorld(seed)
  const { random, clock } = world
  const workload = await startWorkload(world)
  await world.run(MAX_PAUSE_MS)
  const begun: string[] = []
  for (let step = 0; step < STEPS; step++) {
    await workload.act()
    const fault: SystemFault | undefined = random() < 0.6 ? pick(random, pick(random, faultRows) ?? []) : undefined
    if (fault !== undefined) {
      begun.push(`${(clock.monotonic() / 1_000).toFixed(1)} s ${fault.name}`)
      await fault.begin(world)
    }
    await world.run(random() * MAX_PAUSE_MS)
    await workload.replaceFailed()
  }
  world.healAll()
  await world.run(SETTLE_MS / 2)
  await workload.replaceFailed()
  const healthyFromMs = clock.now()
  await workload.useEverything()
  await world.run(SETTLE_MS / 2)
  world.judge.checkSettled()
  for (let ms = 0; ms < JOBS_MS && (await workload.hasRunningJob()); ms += JOB_STEP_MS) await world.run(JOB_STEP_MS)
  const restsFromMs = clock.now()
  await world.run(REST_MS)
  world.judge.checkQuiet(restsFromMs)
  if (seed % 10 === 0) {
    // A pod may wait for another reason than at its last attempt: only changes that may help wake it. The first attempt writes that.
    await world.run(RETRY_ALL_MS)
    world.judge.checkQuiet(restsFromMs, 1)
    const retriedMs = clock.now()
    await world.run(RETRY_ALL_MS)
    world.judge.checkQuiet(retriedMs)
  }
  world.judge.checkSettled()
  world.judge.checkAccepted(healthyFromMs)
  world.end()
  const counts = Object.fromEntries([...world.counts, ...world.injector.counts()])
  return { seed, problems: world.problems(), faults: begun, counts, digest: world.digest() }
}
