import type { ApiHandler, ApiRequest, ApiResponse, Pod } from '@berth/types'
import { expect, test } from 'vitest'
import { seededRandom } from '@berth/clock/testing'
import { type TestCluster, startTestCluster } from './test-cluster.ts'

const DONGLE = 'example.com/dongle'
const SEEDS = 100
const UNITS = 2
const NODES = ['node-a', 'node-b']
const PODS = Array.from({ length: 6 }, (_, i) => `pod-${i}`)
/** A server works on a request for at most this long after its response was lost. */
const LATE_MS = 59_000

const faults = [
  'lost before',
  'lost after',
  'late effect',
  '409',
  '429',
  '503',
  '500 before',
  '500 after',
  'half-open after',
] as const
type FaultName = (typeof faults)[number]

function refusal(code: number, headers: Readonly<Record<string, string>> = {}): ApiResponse {
  const body = JSON.stringify({ kind: 'Status', status: 'Failure', code, message: 'injected' })
  return {
    status: code,
    headers: { 'content-type': 'application/json', ...headers },
    body: (async function* () {
      yield new TextEncoder().encode(body)
    })(),
  }
}

const isBind = ({ method, path }: ApiRequest): boolean => method === 'POST' && path.endsWith('/binding')
const isPodRead = ({ method, path }: ApiRequest): boolean => method === 'GET' && /\/pods\/[^/?]+$/.test(path)

/** Injects faults into binds and into the reads that confirm them, until it is switched off. */
function faultyBinds(random: () => number, counts: Map<FaultName, number>) {
  const switches = { isOn: true, setTimer: (_ms: number, _run: () => void): void => undefined }
  const inject = async (name: FaultName, request: ApiRequest, handle: ApiHandler): Promise<ApiResponse> => {
    switch (name) {
      case 'lost before':
        throw new Error('socket hang up')
      case 'lost after':
        await handle(request)
        throw new Error('socket hang up')
      case 'late effect':
        switches.setTimer(random() * LATE_MS, () => void handle(request))
        throw new Error('socket hang up')
      case '409':
        return refusal(409)
      case '429':
      case '503':
        return refusal(Number(name), { 'retry-after': '2' })
      case '500 before':
        return refusal(500)
      case '500 after':
        await handle(request)
        return refusal(500)
      case 'half-open after':
        await handle(request)
        return new Promise(() => undefined)
    }
  }
  const intercept =
    (handle: ApiHandler): ApiHandler =>
    (request) => {
      const mayFail = isBind(request) || isPodRead(request)
      if (!switches.isOn || !mayFail || random() < 0.4) return handle(request)
      const name = faults[Math.floor(random() * faults.length)] ?? 'lost before'
      counts.set(name, (counts.get(name) ?? 0) + 1)
      return inject(name, request, handle)
    }
  return { switches, intercept }
}

/** The nodes of the pods that exist. */
async function placements(cluster: TestCluster): Promise<readonly (string | undefined)[]> {
  const pods = await Promise.all(PODS.map((name) => cluster.pod(name).catch(() => undefined)))
  return pods.map((pod: Pod | undefined) => pod?.spec.nodeName)
}

test(`over-commits no node and reports only true binds after random faults (${SEEDS} seeds)`, async () => {
  const counts = new Map<FaultName, number>()
  for (let seed = 1; seed <= SEEDS; seed++) {
    const random = seededRandom(seed)
    const { switches, intercept } = faultyBinds(random, counts)
    await using cluster = await startTestCluster({ intercept, random })
    switches.setTimer = (ms, run) => void cluster.clock.setTimer(ms, run)
    for (const name of NODES) await cluster.createNode(name, { [DONGLE]: `${UNITS}` })
    for (const name of PODS) await cluster.createPod(name, { requests: { [DONGLE]: '1' } })
    for (let step = 0; step < 20; step++) {
      if (step === 10) await cluster.deletePod(PODS[Math.floor(random() * PODS.length)] ?? '')
      await cluster.clock.advance(10_000)
      const nodes = await placements(cluster)
      for (const name of NODES) {
        expect(nodes.filter((node) => node === name).length, `seed ${seed}: pods on ${name}`).toBeLessThanOrEqual(UNITS)
      }
    }
    switches.isOn = false
    await cluster.clock.advance(180_000)
    const nodes = await placements(cluster)
    expect(
      nodes.filter((node) => node !== undefined),
      `seed ${seed}: bound pods`,
    ).toHaveLength(NODES.length * UNITS)
    expect(cluster.scheduler.counts(), `seed ${seed}`).toMatchObject({ active: 0, backoff: 0, inFlight: 0 })
    for (const [i, name] of PODS.entries()) {
      const scheduled = (await cluster.events(name)).filter((text) => text.startsWith('Scheduled'))
      const node = nodes[i]
      if (node === undefined) continue
      expect(scheduled, `seed ${seed}: events of ${name}`).toEqual([
        `Scheduled: Successfully assigned default/${name} to ${node}`,
      ])
    }
  }
  process.stdout.write(`Faults injected: ${[...counts].map(([name, count]) => `${name}: ${count}`).join(', ')}\n`)
  expect(
    faults.filter((name) => !counts.has(name)),
    'faults that never happened',
  ).toEqual([])
}, 300_000)
