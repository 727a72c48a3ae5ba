import { createTestClock, seededRandom } from '@berth/clock/testing'
import { systemClock } from '@berth/clock'
import { connect as connectHttp2, type ClientHttp2Stream } from 'node:http2'
import { afterEach, describe, expect, test } from 'vitest'
import { startEmbeddedCluster, type EmbeddedCluster } from '../src/index.ts'
import {
  callJson,
  createFaultInjector,
  createServerProcess,
  startVirtualCluster,
  type Fault,
  type FaultInjector,
  type ServerProcess,
} from '../src/testing.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'

describe('faults at the HTTPS socket', () => {
  let cluster: EmbeddedCluster | undefined
  afterEach(async () => {
    await cluster?.[Symbol.asyncDispose]()
  })

  async function start(fault: Fault): Promise<FaultInjector> {
    const clock = systemClock()
    const faults = createFaultInjector({ clock, random: Math.random })
    cluster = await startEmbeddedCluster({
      nodes: 0,
      clock,
      random: Math.random,
      through: (handler) => faults.wrap(handler),
    })
    faults.add({ name: 'it', fault, matches: ({ path }) => path.startsWith(MAPS), times: 1 })
    return faults
  }

  function open(path = MAPS): {
    readonly stream: ClientHttp2Stream
    readonly text: Promise<string>
    readonly end: () => void
  } {
    const { url = '', ca = '', token = '' } = cluster?.served ?? {}
    const session = connectHttp2(url, { ca })
    session.on('error', () => undefined)
    const stream = session.request({ ':path': path, authorization: `Bearer ${token}` })
    const text = new Promise<string>((resolve) => {
      let seen = ''
      let isWhole = true
      stream.setEncoding('utf8').on('data', (chunk: string) => (seen += chunk))
      stream.on('error', () => undefined)
      stream.once('aborted', () => (isWhole = false))
      stream.once('close', () => resolve(isWhole && stream.rstCode === 0 && seen !== '' ? seen : 'broken'))
    })
    return { stream, text, end: () => session.destroy() }
  }

  test('a dropped request gets no response, but the next one does', async () => {
    const faults = await start({ kind: 'drop' })
    const first = open()
    expect(await first.text).toBe('broken')
    const second = open()
    expect(JSON.parse(await second.text)).toMatchObject({ kind: 'ConfigMapList' })
    second.end()
    expect(faults.report()).toBe('it: 1')
  })

  test('a half-open connection never gets a response', async () => {
    await start({ kind: 'half-open' })
    const { stream, text, end } = open()
    const answered = new Promise((resolve) => {
      stream.once('response', () => resolve('answered'))
    })
    const waited = new Promise((resolve) => {
      setTimeout(resolve, 100, 'waits')
    })
    expect(await Promise.race([answered, waited])).toBe('waits')
    end()
    expect(await text).toBe('broken')
  })

  test('a body arrives slowly or breaks off', async () => {
    await start({ kind: 'slow-body', bytes: 20, everyMs: 2 })
    const slow = open()
    expect(JSON.parse(await slow.text)).toMatchObject({ kind: 'ConfigMapList' })
    slow.end()
    await cluster?.[Symbol.asyncDispose]()
    await start({ kind: 'cut-body', afterBytes: 30 })
    const cut = open()
    expect(await cut.text).toBe('broken')
    cut.end()
  })
})

test('every pod runs in spite of random faults, and no object is left over', async () => {
  const clock = createTestClock()
  const random = seededRandom(42)
  const faults = createFaultInjector({ clock, random })
  await using cluster = await startEmbeddedCluster({
    nodes: 20,
    clock,
    random,
    serve: false,
    schedulesPods: true,
    through: (handler) => faults.wrap(handler),
  })
  const kinds: readonly Fault[] = [
    { kind: 'drop' },
    { kind: 'drop', afterEffect: true },
    { kind: 'delay', ms: 700 },
    { kind: 'refuse', status: 429, retryAfterSeconds: 1 },
    { kind: 'refuse', status: 500 },
    { kind: 'refuse', status: 503, afterEffect: true },
    { kind: 'cut-body', afterBytes: 200 },
    { kind: 'slow-body', bytes: 4_096, everyMs: 10 },
    { kind: 'duplicate' },
    { kind: 'reorder' },
  ]
  for (const [i, fault] of kinds.entries()) faults.add({ name: `${fault.kind} ${i}`, fault, chance: 0.05 })
  const deployment = {
    metadata: { name: 'web' },
    spec: {
      replicas: 20,
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'a' }] } },
    },
  }
  const path = '/apis/apps/v1/namespaces/default/deployments'
  await callJson(cluster.apiServer.handle, 'POST', path, { body: deployment })
  await clock.run(120_000)
  process.stdout.write(`Faults injected: ${faults.report()}\n`)
  faults.clear()
  await clock.run(120_000)
  const { status } = (await callJson(cluster.apiServer.handle, 'GET', `${path}/web`)).body
  expect(status).toMatchObject({ readyReplicas: 20, availableReplicas: 20 })
  expect([...faults.counts()].filter(([, count]) => count === 0)).toEqual([])
})

test('nodes recover from a killed server, and from one that restarts with older data', async () => {
  let server: ServerProcess | undefined
  await using cluster = await startVirtualCluster({
    nodes: 2,
    through: (_, apiServer) => (server = createServerProcess(apiServer)).handle,
  })
  const ready = async (): Promise<readonly string[]> =>
    (await callJson(cluster.apiServer.handle, 'GET', '/api/v1/nodes')).body.items.map(
      ({ status }: { status: { conditions: { type: string; status: string }[] } }) =>
        status.conditions.find(({ type }) => type === 'Ready')?.status,
    )
  await cluster.clock.run(15_000)
  const revision = cluster.apiServer.store.revision
  await callJson(cluster.apiServer.handle, 'POST', MAPS, { body: { metadata: { name: 'lost' } } })
  server?.kill()
  await cluster.clock.run(70_000)
  expect(await ready()).toEqual(['Unknown', 'Unknown'])
  server?.start()
  await cluster.clock.run(20_000)
  expect(await ready()).toEqual(['True', 'True'])
  server?.kill()
  server?.start({ atRevision: cluster.apiServer.store.revision })
  await cluster.clock.run(120_000)
  expect(await ready()).toEqual(['True', 'True'])
  expect(revision).toBeLessThan(cluster.apiServer.store.revision)
  expect(server?.broken).toBeGreaterThan(0)
})
