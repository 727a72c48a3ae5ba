import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { resourceRefs } from '@berth/k8s-client'
import { expect, test, vi } from 'vitest'
import { LINGER_MS, STEP_MS } from '../../src/ui/live/live-feed.ts'
import { noChanges } from '../../src/ui/model/ui-point.ts'
import type { PendingGroup, PendingModel } from '../../src/ui/model/pending-model.ts'
import type { UiMessage, UiModel } from '../../src/ui/model/ui-model.ts'
import { testCluster } from '../test-cluster.ts'
import { openStream, uiRequest } from './ui-request.ts'
import { bearer, whileServing } from './while-serving.ts'

const dongle = 'example.com/dongle'

/** Opens the change stream. */
async function openMessages(
  address: URL,
): Promise<{ readonly messages: { next(): Promise<UiMessage> }; readonly close: () => void }> {
  const stream = await openStream(`${address.origin}/api/changes`, { headers: bearer(address) })
  const lines = createInterface(stream)[Symbol.asyncIterator]()
  return {
    messages: { next: async () => JSON.parse((await lines.next()).value ?? '') },
    close: () => void stream.destroy(),
  }
}

test('ui prints an address whose token opens the data, and ends with the signal', async () => {
  const cluster = testCluster()
  await cluster.addNode('node-1', { [dongle]: '4' })
  let origin = ''
  await whileServing(cluster, ['--no-open'], async (address) => {
    ;({ origin } = address)
    expect(cluster.openedAddresses()).toEqual([])
    const page = await uiRequest(origin)
    expect(page.body).toContain('<script type="module" src="/app.js">')
    // Inline scripts and styles would be blocked by the policy.
    expect(page.body).not.toMatch(/<style|style=|<script>|\son\w+=|https?:/)
    expect((await uiRequest(`${origin}/app.js`)).headers['content-type']).toContain('text/javascript')
    const { body: style } = await uiRequest(`${origin}/app.css`)
    expect(style).toContain('--ground')
    expect(style).toContain('.uplot')
    const { body: licences } = await uiRequest(`${origin}/licences.txt`)
    for (const name of ['preact', 'uplot', '@zag-js/tabs', '@zag-js/slider', '@zag-js/dialog'])
      expect(licences).toContain(`${name}@`)
    expect(licences.match(/MIT License/g)?.length).toBeGreaterThan(5)
    const { body } = await uiRequest(`${origin}/api/snapshot`, { headers: bearer(address) })
    expect((JSON.parse(body) as UiModel).nodes).toEqual(['node-1'])
  })
  await expect(uiRequest(origin)).rejects.toThrow('ECONNREFUSED')
})

test('ui reads nothing until a page asks, and lists once for all pages', async () => {
  const cluster = testCluster()
  await whileServing(cluster, [], async (address) => {
    await uiRequest(address.origin)
    expect(cluster.requests()).toEqual([])
    const headers = bearer(address)
    await Promise.all([1, 2].map(() => uiRequest(`${address.origin}/api/snapshot`, { headers })))
    const lists = cluster.requests().filter((path) => !/[?&](?:watch|fieldSelector)=/.test(path))
    const paths = lists.map((path) => path.split('?')[0])
    expect(paths).toHaveLength(2)
    expect(paths).toEqual(expect.arrayContaining(['/api/v1/nodes', '/api/v1/pods']))
  })
})

test('ui pushes the changes that its watches deliver, and lists nothing again', async () => {
  const cluster = testCluster()
  await cluster.addNode('node-1', { [dongle]: '4' })
  await whileServing(cluster, [], async (address) => {
    const { messages, close } = await openMessages(address)
    expect(await messages.next()).toMatchObject({ kind: 'start', feed: 'live', points: [{ counts: noChanges }] })
    const before = cluster.requests().length
    await cluster.addPod('web', { [dongle]: '3' }, { nodeName: 'node-1' })
    await cluster.terminal.clock.advance(STEP_MS)
    expect(await messages.next()).toMatchObject({
      kind: 'change',
      pendingCount: 1,
      points: [
        {
          counts: { ...noChanges, arrived: 1, placed: 1, pending: 1 },
          examples: [
            ['arrived', 'default/web'],
            ['placed', 'default/web'],
            ['pending', 'default/web'],
          ],
        },
      ],
    })
    await cluster.addNode('node-2')
    await cluster.terminal.clock.advance(STEP_MS)
    expect(await messages.next()).toMatchObject({ kind: 'model', model: { nodes: ['node-1', 'node-2'] } })
    expect(cluster.requests().slice(before)).toEqual([])
    close()
  })
})

test('ui shows an earlier time of the timeline', async () => {
  const cluster = testCluster()
  await cluster.addNode('node-1', { [dongle]: '4' })
  await whileServing(cluster, [], async (address) => {
    const { messages, close } = await openMessages(address)
    const start = await messages.next()
    await cluster.addPod('web', { [dongle]: '3' }, { nodeName: 'node-1' })
    await cluster.terminal.clock.advance(STEP_MS)
    await messages.next()
    const firstMs = start.kind === 'start' ? (start.points[0]?.timeMs ?? 0) : 0
    const requestedAt = async (query: string): Promise<unknown> => {
      const { body } = await uiRequest(`${address.origin}/api/snapshot${query}`, { headers: bearer(address) })
      return (JSON.parse(body) as UiModel).resources.find(({ name }) => name === dongle)?.total[1]
    }
    expect(await requestedAt(`?at=${firstMs}`)).toBe(0)
    expect(await requestedAt(`?at=${firstMs + STEP_MS - 1}`)).toBe(0)
    expect(await requestedAt(`?at=${firstMs + STEP_MS}`)).toBe(3)
    expect(await requestedAt('')).toBe(3)
    close()
  })
})

test('ui stops watching a minute after the last page has gone', async () => {
  const cluster = testCluster()
  await cluster.addNode('node-1')
  await whileServing(cluster, [], async (address) => {
    const headers = bearer(address)
    await uiRequest(`${address.origin}/api/snapshot`, { headers })
    const before = cluster.requests().length
    await cluster.terminal.clock.advance(LINGER_MS - 1)
    await uiRequest(`${address.origin}/api/snapshot`, { headers })
    expect(cluster.requests().slice(before)).toEqual([])
    await cluster.terminal.clock.advance(LINGER_MS)
    await uiRequest(`${address.origin}/api/snapshot`, { headers })
    expect(cluster.requests().slice(before)).not.toEqual([])
  })
})

test('ui --record writes a file from which --recording shows the same, without environments and annotations', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-ui-record-'))
  const file = join(folder, 'recording.log')
  const cluster = testCluster()
  await cluster.addNode('node-1', { [dongle]: '4' })
  await cluster.addPod(
    'web',
    { [dongle]: '1' },
    { nodeName: 'node-1', metadata: { annotations: { secret: 'hidden' } } },
  )
  let live: UiModel | undefined
  // Without a page.
  await whileServing(cluster, ['--record', file], async (address) => {
    await vi.waitFor(() => expect(cluster.requests().some((path) => path.includes('watch='))).toBe(true))
    await cluster.addPod('more', { [dongle]: '2' }, { nodeName: 'node-1' })
    await cluster.client.delete(resourceRefs.pods, { namespace: 'default', name: 'web' }, { gracePeriodSeconds: 0 })
    await cluster.terminal.clock.advance(STEP_MS)
    const { body } = await uiRequest(`${address.origin}/api/snapshot`, { headers: bearer(address) })
    live = JSON.parse(body) as UiModel
  })
  const text = readFileSync(file, 'utf8')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(text).not.toContain('hidden')
  await expect(cluster.run('ui', '--record', file)).rejects.toMatchObject({ code: 'BERTH_KUBECTL_FILE' })
  rmSync(folder, { recursive: true })

  const elsewhere = testCluster({ 'recording.log': text })
  await whileServing(elsewhere, ['--recording', 'recording.log'], async (address) => {
    const { messages, close } = await openMessages(address)
    const start = await messages.next()
    expect(start).toMatchObject({ kind: 'start', feed: 'recording' })
    expect(start.kind === 'start' && { ...start.model, timeMs: 0 }).toEqual({ ...live, timeMs: 0 })
    close()
    expect(elsewhere.requests()).toEqual([])
  })
})

test.for<readonly [problem: string, text: string]>([
  ['line 1 is not JSON', 'no recording'],
  ['line 2 is not an object', '{"requestReceivedTimestamp":"2026-01-01T00:00:00Z"}\n[]'],
  ['line 1 has no requestReceivedTimestamp', '{}'],
  ['it has no writes of nodes and pods', ''],
])('ui --recording refuses a file: %s', async ([problem, text]) => {
  await expect(testCluster({ file: text }).run('ui', '--recording', 'file')).rejects.toMatchObject({
    code: 'BERTH_KUBECTL_FILE',
    message: `read the recording file: ${problem}`,
  })
})

test('ui explains the pending pods as explain --all-pending does, with verified fixes', async () => {
  const cluster = testCluster()
  await cluster.addNode('node-1', { [dongle]: '4' })
  await cluster.addNode('node-2')
  await cluster.addPod('holds', { [dongle]: '3' }, { nodeName: 'node-1', metadata: { uid: 'h' } })
  await cluster.addPod('waits', { [dongle]: '2' })
  await cluster.addPod('waits-too', { [dongle]: '2' })
  const explained = JSON.parse(await cluster.run('explain', '--all-pending', '-A', '-o', 'json'))
  await whileServing(cluster, [], async (address) => {
    const { body } = await uiRequest(`${address.origin}/api/pending`, { headers: bearer(address) })
    const { groups } = JSON.parse(body) as PendingModel
    expect(groups.map(({ cause, count }) => ({ cause, count }))).toEqual(
      explained.groups.map(({ cause, count }: PendingGroup) => ({ cause, count })),
    )
    const group = groups.find(({ pods }) => pods.includes('default/waits'))
    expect(group).toMatchObject({
      pods: ['default/waits', 'default/waits-too'],
      nodeCount: 2,
      funnel: [{ plugin: 'NodeResourcesFit', before: 2, after: 0 }],
      nodes: [
        { node: 'node-1', reasons: [`Insufficient ${dongle}`] },
        { node: 'node-2', reasons: [`Insufficient ${dongle}`] },
      ],
    })
    expect(group?.fixes[0]).toMatchObject({ sentence: expect.stringContaining(`Request 1 ${dongle} instead of 2`) })
    expect(group?.fixes).toHaveLength(
      explained.groups.find(({ cause }: PendingGroup) => cause === group?.cause).answer.fixes.length,
    )
  })
})

test('ui says what it may not list', async () => {
  const cluster = testCluster()
  cluster.forbid('pods')
  await cluster.addNode('node-1')
  await whileServing(cluster, [], async (address) => {
    const { body } = await uiRequest(`${address.origin}/api/snapshot`, { headers: bearer(address) })
    expect((JSON.parse(body) as UiModel).notes).toEqual(['No pods are counted: this user may not list pods.'])
  })
})

test('ui --open opens an address whose code is good for one page', async () => {
  const cluster = testCluster()
  await whileServing(cluster, ['--open'], async (address) => {
    const [opened = ''] = await vi.waitFor(() => {
      expect(cluster.openedAddresses()).toHaveLength(1)
      return cluster.openedAddresses()
    })
    const { origin, hash } = new URL(opened)
    expect(origin).toBe(address.origin)
    const code = new URLSearchParams(hash.slice(1)).get('code')
    const headers = { authorization: `Bearer ${code}` }
    const { body } = await uiRequest(`${origin}/api/token`, { method: 'POST', headers })
    expect(`Bearer ${body}`).toBe(bearer(address)['authorization'])
  })
})

test('ui --record ends its file at --record-limit, says so, and serves the page on', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-ui-limit-'))
  const file = join(folder, 'recording.log')
  const cluster = testCluster()
  // A quarter of a MiB each.
  const labels = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`label-${i}`, 'x'.repeat(63)]))
  for (let i = 0; i < 8; i++) await cluster.addNode(`node-${i}`, { [dongle]: '4' }, { labels })
  await whileServing(cluster, ['--record', file, '--record-limit', '1'], async (address) => {
    await vi.waitFor(() => expect(cluster.terminal.notes()).toContain('has reached its limit of 1 MiB'))
    const { body } = await uiRequest(`${address.origin}/api/snapshot`, { headers: bearer(address) })
    expect((JSON.parse(body) as UiModel).nodes).toHaveLength(8)
  })
  expect(cluster.terminal.notes()).toBe(
    `The recording ended: ${file} has reached its limit of 1 MiB. The page goes on.\n`,
  )
  expect(statSync(file).size).toBeLessThanOrEqual(2 ** 20)
  rmSync(folder, { recursive: true })
})

test('ui --recording reads a file in parts, so that it may be larger than a string', async () => {
  const node = (i: number) => ({
    verb: 'create',
    requestReceivedTimestamp: `2026-01-01T00:00:0${i}Z`,
    objectRef: { resource: 'nodes', name: `node-${i}` },
    requestObject: {
      kind: 'Node',
      apiVersion: 'v1',
      metadata: { name: `node-${i}` },
      status: { capacity: { cpu: '1' }, allocatable: { cpu: '1' } },
    },
  })
  const cluster = testCluster()
  Object.assign(cluster.terminal, {
    readFile: () => Promise.reject(new Error('Invalid string length')),
    async *readChunks() {
      for (let i = 0; i < 3; i++) yield Buffer.from(`${JSON.stringify(node(i))}\n`)
    },
  })
  await whileServing(cluster, ['--recording', 'large.log'], async (address) => {
    const { body } = await uiRequest(`${address.origin}/api/snapshot`, { headers: bearer(address) })
    expect((JSON.parse(body) as UiModel).nodes).toEqual(['node-0', 'node-1', 'node-2'])
  })
})

test.for([[['--open', '--no-open']], [['--record', 'a', '--recording', 'b']], [['--record-limit', '5']]] as const)(
  'ui refuses %j',
  async ([flags]) => {
    await expect(testCluster().run('ui', ...flags)).rejects.toMatchObject({ code: 'BERTH_KUBECTL_USAGE' })
  },
)
