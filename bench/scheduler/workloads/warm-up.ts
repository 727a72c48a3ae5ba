import { NAMESPACE, racePod, type StoredEntry, storedPods } from '../race-cluster.ts'
import type { RunningRace } from './running-race.ts'

const WARM_UP_PODS = 200
const nameOf = (i: number): string => `warm-up-${i}`

/** Generates pending pods whose binding shows that the scheduler is ready. They are not measured. */
export function warmUpPods(): Generator<StoredEntry> {
  return storedPods(WARM_UP_PODS, (i) => racePod(nameOf(i)))
}

/** Waits until the pods of {@link warmUpPods} are bound and the scheduler is idle. */
export async function untilWarm(race: RunningRace): Promise<void> {
  const names = Array.from({ length: WARM_UP_PODS }, (_, i) => `${NAMESPACE}/${nameOf(i)}`)
  await race.until('the warm-up pods to be bound', () =>
    names.every((name) => race.pods.get(name)?.spec.nodeName !== undefined),
  )
  await race.untilIdle()
}
