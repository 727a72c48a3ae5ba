import { setTimeout as pause } from 'node:timers/promises'
import type { Random } from '@berth/types'
import { pick } from '../world/pick.ts'
import { UNITS, type SoakApps } from './soak-apps.ts'
import type { SoakCluster } from './soak-cluster.ts'
import type { SoakProcess } from './soak-process.ts'

/** Faults of a soak, and how often each was injected. */
export interface SoakFaults {
  /** Injects faults until the signal aborts, then heals the last one. */
  run(signal: AbortSignal): Promise<void>
  readonly counts: ReadonlyMap<string, number>
}

/** Apps that are only stopped for a moment in the first half of a run. The others are spared in the second half. */
const SPARED_FIRST: ReadonlySet<string> = new Set(['scheduler-a', 'advertiser'])
/** Mean pause between two faults at a pace of 1. */
const MEAN_PAUSE_MS = 8_000
/** A stop during which no Lease expires, and one during which the Lease of a leader does. */
const SHORT_STOP_MS = 2_000
const LONG_STOP_MS = 12_000

/** Options of {@link createSoakFaults}. */
export interface SoakFaultsOptions {
  readonly cluster: SoakCluster
  readonly apps: SoakApps
  readonly random: Random
  /** At 1, there are 8 s between two faults on average; at 2, half of that. */
  readonly pace: number
}

/**
 * Prepares random faults. Each app is spared for one half of the run, in which it lives long enough to be judged. In the other
 * half it is killed and stopped past its Lease.
 *
 * @param isFirstHalf - Called at each fault.
 */
export function createSoakFaults(
  { cluster, apps, random, pace }: SoakFaultsOptions,
  isFirstHalf: () => boolean,
): SoakFaults {
  const counts = new Map<string, number>()
  const count = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1)

  const disturb = async (process: SoakProcess): Promise<void> => {
    const isSpared = SPARED_FIRST.has(process.name) === isFirstHalf()
    if (isSpared) {
      count('stopped for a moment and continued')
      await process.stop(random() * SHORT_STOP_MS)
    } else if (random() < 0.5) {
      count('killed')
      process.kill()
    } else {
      count('stopped for seconds and continued')
      await process.stop(random() * LONG_STOP_MS)
    }
  }
  const changeWorld = async (): Promise<void> => {
    const draw = random()
    const node = pick(random, cluster.nodes) ?? ''
    if (draw < 0.4) {
      count('the declared amount changed')
      apps.declare(UNITS + Math.floor(random() * 3))
    } else if (draw < 0.8 || cluster.restartKubelet === undefined) {
      count('the health of a device changed')
      apps.setHealth(Math.floor(random() * UNITS), random() < 0.5)
    } else {
      count('a kubelet restarted')
      await cluster.restartKubelet(node)
    }
  }

  return {
    counts,
    async run(signal) {
      while (!signal.aborted) {
        const process = random() < 0.7 ? pick(random, apps.processes) : undefined
        await (process === undefined ? changeWorld() : disturb(process))
        await pause((MEAN_PAUSE_MS / pace) * 2 * random(), undefined, { signal }).catch(() => undefined)
      }
      apps.declare(UNITS)
      for (let device = 0; device < UNITS; device++) apps.setHealth(device, true)
    },
  }
}
