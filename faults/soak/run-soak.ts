import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '@berth/testing'
import { seededRandom } from '@berth/clock/testing'
import { growthProblems, judgeLife, type LifeVerdict } from './judge-growth.ts'
import { growthTable, sampleText } from './growth-table.ts'
import { startSoakApps, type PlantedLeak } from './soak-apps.ts'
import { startSoakCluster, type ClusterKind } from './soak-cluster.ts'
import { createSoakFaults } from './soak-faults.ts'
import { createSoakLoad } from './soak-load.ts'

const MINUTE_MS = 60_000
const START_TIMEOUT_MS = 180_000
const SAMPLES = 720
const MIN_SAMPLE_MS = 1_000
const MAX_SAMPLE_MS = 10_000
const PROGRESS_LINES = 36
/** Part of the run that a process must live to be judged. Each app is spared for half of the run. */
const MIN_LIFE = 1 / 3

/** Options of {@link runSoak}. */
export interface SoakOptions {
  readonly kind: ClusterKind
  /** Folder for sockets, configurations and logs. */
  readonly dir: string
  readonly durationMs: number
  readonly seed: number
  /** Divides the pauses between pods and between faults. */
  readonly pace: number
  readonly leak: PlantedLeak | undefined
  /** Ends the run early; it judges what it has measured. */
  readonly signal: AbortSignal
  readonly write: (text: string) => void
}

/**
 * Runs the apps under faults and measures them. Prints progress and a table.
 *
 * @returns A sentence for each process that grew, ended by itself or does not recover.
 */
export async function runSoak(options: SoakOptions): Promise<readonly string[]> {
  const { kind, dir, durationMs, seed, pace, leak, signal, write } = options
  await using cluster = await startSoakCluster(kind, dir)
  await using apps = await startSoakApps(cluster, dir, leak)
  const { processes } = apps
  const problems: string[] = []
  await untilReady()

  const startedMs = performance.now()
  const ending = new AbortController()
  const elapsedMs = (): number => performance.now() - startedMs
  const load = createSoakLoad({ client: cluster.client, random: seededRandom(seed), pace })
  const isFirstHalf = (): boolean => elapsedMs() < durationMs / 2
  const faults = createSoakFaults({ cluster, apps, random: seededRandom(seed + 1), pace }, isFirstHalf)
  const running = Promise.all([load.run(ending.signal), faults.run(ending.signal)])
  try {
    await sampleUntilEnd()
  } finally {
    ending.abort()
    await running
  }
  await settle()

  const minLifeMs = Math.max(MINUTE_MS, Math.min(durationMs, elapsedMs()) * MIN_LIFE)
  const verdicts = processes
    .flatMap((process) => process.lives())
    .map((life) => judgeLife(life, minLifeMs))
    .filter((each): each is LifeVerdict => each !== undefined)
  write(growthTable(verdicts))
  write(`${load.bound()} pods were bound and deleted\nInjected:\n`)
  for (const [name, count] of faults.counts) write(`  ${count} times: ${name}\n`)
  const names = processes.map(({ name }) => name)
  return [...problems, ...processes.flatMap((process) => process.problems()), ...growthProblems(verdicts, names)]

  async function untilReady(): Promise<void> {
    await eventually(
      async () => {
        const missing = await apps.notReady()
        if (missing.length > 0) throw new Error(`not ready: ${missing.join(', ')}`)
        return true
      },
      { what: 'all apps to be ready', timeoutMs: START_TIMEOUT_MS, intervalMs: 500, signal },
    )
  }

  /** Measures all processes until the end, and prints how they are. */
  async function sampleUntilEnd(): Promise<void> {
    const everyMs = Math.min(MAX_SAMPLE_MS, Math.max(MIN_SAMPLE_MS, durationMs / SAMPLES))
    let reportAtMs = durationMs / PROGRESS_LINES
    while (elapsedMs() < durationMs && !signal.aborted) {
      const samples = await Promise.all(
        processes.map(async (process) => [process.name, await process.sample()] as const),
      )
      const exit = cluster.exit()
      if (exit !== undefined) return void problems.push(exit)
      if (elapsedMs() >= reportAtMs) {
        reportAtMs += Math.max(durationMs / PROGRESS_LINES, MINUTE_MS / 2)
        const texts = samples.map(([name, sample]) => `  ${name}: ${sample ? sampleText(sample) : 'starts'}\n`)
        write(`${(elapsedMs() / MINUTE_MS).toFixed(1)} min, ${load.bound()} pods bound and deleted\n${texts.join('')}`)
      }
      await pause(everyMs)
    }
  }

  /** Checks that the system recovers from the faults. */
  async function settle(): Promise<void> {
    if (cluster.exit() !== undefined || signal.aborted) return
    try {
      await untilReady()
      await load.checkAllRun()
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error))
    }
  }
}
