import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Lane } from './lanes.ts'

/** How to run lanes. */
export interface LaneRun {
  /** Folder for one report of each lane. */
  readonly reports: string
  /** Runs only files whose path contains one of these. Empty: all files. */
  readonly filters: readonly string[]
  readonly env: NodeJS.ProcessEnv
  /** Variables for the lanes that use the cluster. */
  readonly clusterEnv: NodeJS.ProcessEnv
}

/** Returns the path of the JSON report of a lane. */
export const reportOf = (reports: string, lane: Lane): string => join(reports, `${lane.name}.json`)

/** Runs the scenarios of all lanes at once, each lane with a vitest of its own. Returns the highest exit status. */
export async function runLanes(lanes: readonly Lane[], run: LaneRun): Promise<number> {
  return Math.max(...(await Promise.all(lanes.map((lane) => runLane(lane, run)))))
}

async function runLane(lane: Lane, { reports, filters, env, clusterEnv }: LaneRun): Promise<number> {
  const reporters = ['--reporter=verbose', '--reporter=json', `--outputFile=${reportOf(reports, lane)}`]
  const args = ['run', '--config', 'vitest.config.ts', '--project', lane.name, ...reporters, ...filters]
  const cwd = join(import.meta.dirname, '..')
  // Piped, so that a line of one lane never ends in the middle of another's.
  const vitest = spawn('vitest', args, {
    cwd,
    env: lane.usesCluster ? { ...env, ...clusterEnv } : env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  createInterface(vitest.stdout).on('line', (text) => console.log(text))
  createInterface(vitest.stderr).on('line', (text) => console.error(text))
  try {
    await once(vitest, 'spawn')
    if (!lane.usesCluster && vitest.pid !== undefined) setPriority(vitest.pid, constants.priority.PRIORITY_BELOW_NORMAL)
    const [code] = (await once(vitest, 'close')) as [number | null]
    return code ?? 1
  } catch (error) {
    console.error(`start vitest: ${String(error)}`)
    return 1
  }
}
