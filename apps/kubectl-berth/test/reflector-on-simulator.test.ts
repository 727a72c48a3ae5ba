import { fakeClock, type FakeClock, seededRandom } from '@berth/clock/testing'
import { connectCluster, resourceRefs, type Cluster } from '@berth/k8s-client'
import { createApiServer, type ApiServer } from '@berth/simulator'
import {
  callJson,
  createFaultInjector,
  createLaggingServer,
  createServerProcess,
  parseRecording,
  recordExchanges,
  replayExchanges,
  type Fault,
} from '@berth/simulator/testing'
import { silentLogger, type ApiHandler, type KubernetesObject } from '@berth/types'
import { describe, expect, test } from 'vitest'

// Tests the client against the simulator, because neither package may import the other.

const MAPS = '/api/v1/namespaces/default/configmaps'
const FAULTS: Readonly<Record<string, Fault>> = {
  drop: { kind: 'drop' },
  delay: { kind: 'delay', ms: 900 },
  'half-open': { kind: 'half-open' },
  410: { kind: 'refuse', status: 410 },
  429: { kind: 'refuse', status: 429, retryAfterSeconds: 1 },
  500: { kind: 'refuse', status: 500 },
  503: { kind: 'refuse', status: 503, retryAfterSeconds: 2 },
  'slow body': { kind: 'slow-body', bytes: 512, everyMs: 50 },
  'cut body': { kind: 'cut-body', afterBytes: 700 },
  duplicate: { kind: 'duplicate' },
  reorder: { kind: 'reorder' },
  silence: { kind: 'silence' },
}

/** Delays in whole milliseconds: a fraction that is lost in a sum of doubles could be waited for without end. */
function wholeClock(): FakeClock {
  const clock = fakeClock({ turns: 2 })
  return { ...clock, setTimer: (delayMs, task) => clock.setTimer(Math.ceil(delayMs), task) }
}

const connect = (handler: ApiHandler, clock: FakeClock, random: () => number): Cluster =>
  connectCluster({ handler, log: silentLogger, clock, random, userAgent: 'test', qps: 0 })

const shown = (objects: Iterable<KubernetesObject>): readonly string[] =>
  [...objects].map(({ metadata }) => `${metadata?.name}@${metadata?.resourceVersion}`).toSorted()

const listed = async (server: ApiServer): Promise<readonly string[]> =>
  shown((await callJson(server.handle, 'GET', MAPS)).body.items)

async function churn(server: ApiServer, random: () => number): Promise<void> {
  const path = `${MAPS}/m${Math.floor(random() * 8)}`
  const body = { metadata: { name: path.split('/').at(-1) }, data: { at: String(random()) } }
  const dice = random()
  if (dice < 0.4) await callJson(server.handle, 'POST', MAPS, { body })
  else if (dice < 0.75) await callJson(server.handle, 'PUT', path, { body })
  else await callJson(server.handle, 'DELETE', path)
}

describe('the reflector on the simulated API server', { timeout: 60_000 }, () => {
  test('after random faults of every kind its store equals a fresh list (30 seeds)', async () => {
    const totals = new Map<string, number>()
    for (let seed = 1; seed <= 30; seed++) {
      const random = seededRandom(seed)
      const clock = wholeClock()
      const server = createApiServer({ clock, random })
      const faults = createFaultInjector({ clock, random })
      const process = createServerProcess(server)
      for (const [name, fault] of Object.entries(FAULTS)) faults.add({ name, fault, chance: 0.06 })
      await using cluster = connect(faults.wrap(process.handle), clock, random)
      const reflector = cluster.reflect(resourceRefs.configMaps)
      const told = new Map<string, KubernetesObject>()
      const problems: string[] = []
      const keyOf = ({ metadata }: KubernetesObject): string => metadata?.name ?? ''
      reflector.subscribe({
        onAdd: (object) => void (told.has(keyOf(object)) ? problems.push('twice') : told.set(keyOf(object), object)),
        onUpdate: (_, object) => void told.set(keyOf(object), object),
        onDelete: (object) => void (told.delete(keyOf(object)) || problems.push('unknown')),
      })
      for (let step = 0; step < 60; step++) {
        await churn(server, random)
        const dice = random()
        if (dice < 0.05) {
          process.kill()
          await clock.advance(Math.ceil(random() * 10_000))
          process.start()
        } else if (dice < 0.6) await clock.advance(Math.ceil(random() * 15_000))
      }
      faults.clear()
      for (let minute = 0; minute < 8; minute++) await clock.advance(60_000)
      const wanted = await listed(server)
      expect([seed, shown(reflector.store.values()), shown(told.values()), problems]).toEqual([
        seed,
        wanted,
        wanted,
        [],
      ])
      for (const [name, count] of faults.counts()) totals.set(name, (totals.get(name) ?? 0) + count)
    }
    globalThis.process.stdout.write(`Faults injected: ${[...totals].map(([name, n]) => `${name}: ${n}`).join(', ')}\n`)
    expect([...totals].filter(([, count]) => count === 0)).toEqual([])
  })

  test('reads from a server that lags end up where the cluster is', async () => {
    const clock = wholeClock()
    const random = seededRandom(5)
    const server = createApiServer({ clock, random })
    using lagging = createLaggingServer(server, { lagMs: 30_000, random })
    await using cluster = connect(lagging.handle, clock, random)
    const reflector = cluster.reflect(resourceRefs.configMaps)
    for (const name of ['a', 'b']) await callJson(server.handle, 'POST', MAPS, { body: { metadata: { name } } })
    await clock.advance(1_000)
    expect(shown(reflector.store.values())).not.toEqual(await listed(server))
    await clock.advance(60_000)
    expect(shown(reflector.store.values())).toEqual(await listed(server))
    expect(lagging.staleReads).toBeGreaterThan(0)
  })

  test('a recording gives the same store again, in virtual time and without the server', async () => {
    const clock = wholeClock()
    const random = seededRandom(7)
    const server = createApiServer({ clock, random })
    const lines: string[] = []
    {
      await using cluster = connect(
        recordExchanges(server.handle, clock, (line) => lines.push(line)),
        clock,
        random,
      )
      cluster.reflect(resourceRefs.configMaps)
      for (let i = 0; i < 40; i++) {
        await churn(server, random)
        await clock.advance(1_000)
      }
    }
    const later = wholeClock()
    const replay = replayExchanges(parseRecording(lines.join('')), later)
    await using cluster = connect(replay.handle, later, seededRandom(7))
    const reflector = cluster.reflect(resourceRefs.configMaps)
    await later.advance(20_000)
    const half = shown(reflector.store.values())
    await later.advance(20_000)
    const wanted = await listed(server)
    expect(half).not.toEqual(wanted)
    expect(shown(reflector.store.values())).toEqual(wanted)
  })
})
