import { fakeClock, seededRandom } from '@berth/clock/testing'
import type { ApiHandler, KubernetesObject } from '@berth/types'
import { connectCluster, resourceRefs } from '../../src/index.ts'
import { listWatchServer, type Fault } from '../../src/testing.ts'
import { clientWitness } from './client-witness.ts'
import type { FaultCounts } from './fault-counts.ts'
import { longFaults, timeRecovery } from './long-faults.ts'
import { reflectorFaults } from './reflector-faults.ts'

/** Few steps, so that the next event of an object does not hide a lost one. */
const EPISODES = 6
const STEPS = 25

/**
 * Runs a reflector in virtual time through episodes of seeded faults, after each of which the server recovers.
 *
 * @param plant - Wraps the server with a planted bug of the client, for tests of this test.
 * @returns The problems found: stores that differ, missed or invented events, an ignored Retry-After, an unnecessary
 *   relist, a slow recovery. Empty if there are none.
 */
export async function runReflectorSeed(
  seed: number,
  counts: FaultCounts,
  plant: (handler: ApiHandler) => ApiHandler = (handler) => handler,
): Promise<readonly string[]> {
  const random = seededRandom(seed)
  const clock = fakeClock({ turns: 2 })
  const problems: string[] = []
  let isFaulty = true
  let staysAwayUntil = 0
  let diverted: ApiHandler | undefined
  const witness = clientWitness(counts, () => '')
  const server = listWatchServer({
    hasWatchList: random() < 0.6,
    fault(request): Fault | undefined {
      // Requests follow one another, so the failure of the previous one has been logged by now.
      problems.push(...witness.unmet())
      if (!isFaulty || random() < 0.4) return undefined
      const chosen = reflectorFaults[Math.floor(random() * reflectorFaults.length)]
      const { name = '' } = chosen ?? {}
      const setRetryAfter = (ms: number): void => void (staysAwayUntil = clock.monotonic() + ms)
      const expectedError = chosen?.expectedError
      const observe = (): void => {
        if (expectedError === undefined) counts.observed(name)
      }
      const fault = chosen?.make({ random, request, observe, setRetryAfter })
      if (fault === undefined) return undefined
      counts.injected(name)
      if (expectedError !== undefined) witness.injected('', name, expectedError)
      return { name, ...fault }
    },
  })
  const guarded: ApiHandler = (request) => {
    const earlyMs = staysAwayUntil - clock.monotonic()
    if (earlyMs > 0) problems.push(`came back ${Math.round(earlyMs)} ms before Retry-After had passed`)
    return (diverted ?? server.handle)(request)
  }
  await using cluster = connectCluster({
    handler: plant(guarded),
    log: witness.log,
    clock,
    random,
    userAgent: 'test',
    qps: 0,
  })
  const reflector = cluster.reflect(resourceRefs.pods, {
    isLarge: random() < 0.4,
    indexes: { uid: ({ metadata }) => [metadata?.uid ?? ''] },
  })
  const mirror = new Map<string, KubernetesObject>()
  reflector.subscribe({
    onAdd(object) {
      if (mirror.has(keyOf(object))) problems.push(`added twice: ${keyOf(object)}`)
      mirror.set(keyOf(object), object)
    },
    onUpdate(old, object) {
      if (mirror.get(keyOf(object)) !== old) problems.push(`wrong old object: ${keyOf(object)}`)
      if (versionOf(object) <= versionOf(old)) problems.push(`went back in time: ${keyOf(object)}`)
      mirror.set(keyOf(object), object)
    },
    onDelete(object) {
      if (!mirror.delete(keyOf(object))) problems.push(`deleted twice: ${keyOf(object)}`)
    },
  })

  for (let episode = 0; episode < EPISODES; episode++) {
    isFaulty = true
    for (let step = 0; step < STEPS; step++) {
      const name = `p${Math.floor(random() * 6)}`
      const dice = random()
      if (dice < 0.45)
        server.put({ metadata: { name, namespace: 'default', uid: `${name}-${Math.floor(random() * 3)}` } })
      else if (dice < 0.65) server.remove(`default/${name}`)
      else if (dice < 0.72) server.bookmark()
      else if (dice < 0.76) server.compact()
      else if (dice < 0.82) server.endWatches()
      else if (dice < 0.88) server.breakWatches()
      else await clock.advance(random() * 20_000)
      if (random() < 0.5) await clock.settle()
    }
    isFaulty = false
    // A stalled watch is detected after three minutes; a backoff takes at most one.
    for (let minute = 0; minute < 6; minute++) {
      // As an API server does. Without bookmarks the mirror would relist, which would hide missed events.
      server.bookmark()
      await clock.advance(60_000)
    }
    const wanted = versions(server.objects().values())
    if (versions(reflector.store.values()) !== wanted) problems.push('the store differs from a fresh list')
    if (versions(mirror.values()) !== wanted) problems.push('what handlers received differs from a fresh list')
    for (const object of reflector.store.values())
      if (reflector.byIndex('uid', object.metadata?.uid ?? '').every((found) => found !== object))
        problems.push(`not found by index: ${keyOf(object)}`)
    if (!reflector.hasSynced()) problems.push('never synced')
  }

  const isEqual = (): boolean => versions(reflector.store.values()) === versions(server.objects().values())
  const divert = (answer: ApiHandler | undefined): void => void (diverted = answer)
  for (const fault of longFaults)
    problems.push(...(await timeRecovery(fault, { server, reflector, clock, counts, divert, isEqual })))

  // A quiet collection lives on bookmarks: although the history is discarded, nothing is read again.
  const relists = (): number => [...reflector.stats().relists.values()].reduce((sum, count) => sum + count, 0)
  const before = relists()
  server.compact()
  server.bookmark()
  await clock.advance(1_000)
  server.endWatches()
  await clock.advance(60_000)
  if (relists() !== before) problems.push('a quiet watch read everything again')
  return problems
}

function keyOf({ metadata }: KubernetesObject): string {
  return `${metadata?.namespace}/${metadata?.name}`
}

function versionOf({ metadata }: KubernetesObject): number {
  return Number(metadata?.resourceVersion)
}

function versions(objects: Iterable<KubernetesObject>): string {
  return [...objects]
    .map((object) => `${keyOf(object)} ${object.metadata?.uid} ${object.metadata?.resourceVersion}`)
    .toSorted()
    .join('\n')
}
