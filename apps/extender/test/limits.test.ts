import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { ExtenderFilterResult } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { createNameCounter } from '../src/serving/name-counter.ts'
import { post, startTestExtender, type TestExtender } from './test-extender.ts'

const MIB = 1_048_576
const pod = { metadata: { name: 'web' }, spec: { containers: [] } }

function errorOf(answer: { json(): unknown }): string | undefined {
  return (answer.json() as ExtenderFilterResult).Error
}

function open({ address }: TestExtender): Socket {
  const port = Number(address.split(':').at(-1))
  const socket = connect({ port, host: '127.0.0.1' })
  socket.on('error', () => undefined)
  return socket
}

describe('checklist 7.12.3: body limits', () => {
  test('whole nodes above the limit are refused with a message that says what to change', async () => {
    await using extender = await startTestExtender({ limits: { maxRequestBytes: MIB } })
    const items = Array.from({ length: 5_000 }, (_, i) => ({ metadata: { name: `node-${i}`, uid: 'u'.repeat(300) } }))
    const answer = await post(extender.address, '/filter', { Pod: pod, Nodes: { metadata: {}, items } })
    expect(answer.status).toBe(200)
    expect(errorOf(answer)).toMatch(
      /^read request: the body has 1\.\d MiB, and the limit is 1\.0 MiB: set nodeCacheCapable to true in kube-scheduler/,
    )
  })

  test('whole nodes below the limit pass', async () => {
    await using extender = await startTestExtender()
    await extender.createNode('node-0', {})
    await extender.settle()
    const items = Array.from({ length: 5_000 }, (_, i) => ({ metadata: { name: `node-${i}`, uid: 'u'.repeat(300) } }))
    const answer = await post(extender.address, '/filter', { Pod: pod, Nodes: { metadata: {}, items } })
    expect(answer.json()).toMatchObject({ Error: '', Nodes: { items: [items[0]] } })
  })

  test('5,000 node names and a large pod pass', async () => {
    await using extender = await startTestExtender()
    const large = { ...pod, metadata: { name: 'web', annotations: { note: 'x'.repeat(MIB) } } }
    const NodeNames = Array.from({ length: 5_000 }, (_, i) => `node-${i}`)
    expect(errorOf(await post(extender.address, '/filter', { Pod: large, NodeNames }))).toBe('')
  })

  test('a bind call has a small limit of its own', async () => {
    await using extender = await startTestExtender({ bindAs: 'replica-a' })
    const answer = await post(extender.address, '/bind', { PodName: 'x'.repeat(20_000) })
    expect(answer.status).toBe(200)
    expect(errorOf(answer)).toContain('the limit is 0.016 MiB')
  })
})

test('a caller over HTTP/1.1 gets the answer to a body of 100 MB before it has sent it', async () => {
  await using extender = await startTestExtender({ limits: { maxRequestBytes: MIB } })
  const socket = open(extender)
  await once(socket, 'connect')
  const head = `POST /filter HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100000000\r\n\r\n`
  socket.write(head)
  const answer = once(socket, 'data').then(([data]) => String(data))
  socket.write(Buffer.alloc(100_000_000, ' '))
  expect(await answer).toContain('set nodeCacheCapable to true')
  // The rest is read slowly, at about 30 MB a second.
  await pause(300)
  expect(socket.bytesWritten - socket.writableLength).toBeLessThan(50_000_000)
  // The connection stays open until the caller closes it, so that no reset overtakes the answer.
  expect(socket.readyState).toBe('open')
  socket.destroy()
})

describe('callers that hold the bodies of their requests back', () => {
  const limits = { maxRequestBytes: 100_000 }
  const name = 'x'.repeat(50_000)
  const body = { Pod: { ...pod, metadata: { name } }, NodeNames: [] }

  /** Announces a body, and sends all but its last byte. Returns the socket, and the promise of its response. */
  async function holdBack(extender: TestExtender, bytes: number) {
    const socket = open(extender)
    await once(socket, 'connect')
    const head = `POST /filter HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`
    const text = JSON.stringify({ Pod: { ...pod, metadata: { name: 'y'.repeat(bytes - 200) } }, NodeNames: [] })
    socket.write(head + text.padEnd(bytes, ' ').slice(0, -1))
    const answer = once(socket, 'data').then(([data]) => String(data))
    answer.catch(() => undefined)
    return { socket, answer }
  }

  test('cannot keep others out by announcing large bodies', async () => {
    await using extender = await startTestExtender({ limits })
    const held = []
    for (let i = 0; i < 20; i++) {
      const socket = open(extender)
      await once(socket, 'connect')
      socket.write(
        'POST /filter HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99000\r\n\r\n{',
      )
      held.push(socket)
    }
    expect(errorOf(await post(extender.address, '/filter', body))).toBe('')
    for (const socket of held) socket.destroy()
  })

  test('lose their bodies to newer requests, which all get through, and are told so', async () => {
    await using extender = await startTestExtender({ limits })
    const first = await holdBack(extender, 99_000)
    const held = []
    for (let i = 0; i < 20; i++) {
      held.push(await holdBack(extender, 99_000))
      expect(errorOf(await post(extender.address, '/filter', body))).toBe('')
    }
    first.socket.write(' ')
    expect(await first.answer).toContain('received too slowly, and newer requests needed its memory')
    // The newest one has lost nothing.
    const last = held.at(-1)
    last?.socket.write(' ')
    expect(await last?.answer).toContain('"Error":""')
    for (const { socket } of [first, ...held]) socket.destroy()
  })

  test('cannot use more memory with many parts of one byte than with one large part', async () => {
    await using extender = await startTestExtender({ limits: { maxRequestBytes: 2_000 } })
    const socket = open(extender)
    await once(socket, 'connect')
    socket.setNoDelay(true)
    socket.write(
      'POST /filter HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
    )
    const answer = once(socket, 'data').then(([data]) => String(data))
    for (let i = 0; i < 100; i++) socket.write('1\r\n \r\n')
    socket.write('0\r\n\r\n')
    expect(await answer).toContain('the requests in flight on this connection are too large')
    socket.destroy()
  })
})

describe('bounds of the number of nodes', () => {
  test('a call with 1.2 million names is refused before it is parsed', async () => {
    await using extender = await startTestExtender()
    const NodeNames = Array.from({ length: 1_200_000 }, (_, i) => i.toString(36))
    const answer = await post(extender.address, '/filter', { Pod: pod, NodeNames })
    expect(answer.text.length).toBeLessThan(500)
    expect(errorOf(answer)).toBe('read request: it names more than 20000 nodes: raise maxNodesPerRequest')
  })

  test('a call with a few names too many is refused', async () => {
    await using extender = await startTestExtender({ limits: { maxNodes: 2 } })
    const names = await post(extender.address, '/filter', { Pod: pod, NodeNames: ['a', 'b', 'c'] })
    expect(errorOf(names)).toContain('more than 2 nodes')
    const items = ['a', 'b', 'c'].map((name) => ({ metadata: { name } }))
    const whole = await post(extender.address, '/filter', { Pod: pod, Nodes: { items } })
    expect(errorOf(whole)).toContain('more than 2 nodes')
  })

  test('a preempt call with too many nodes is refused', async () => {
    await using extender = await startTestExtender({ limits: { maxNodes: 2 } })
    const NodeNameToMetaVictims = Object.fromEntries(['a', 'b', 'c'].map((name) => [name, { Pods: [] }]))
    const answer = await post(extender.address, '/preempt', { Pod: pod, NodeNameToMetaVictims })
    expect(answer.json()).toEqual({ NodeNameToMetaVictims: {} })
    expect(await extender.metrics.registry.metrics()).toContain('{verb="preempt",result="bad_request"} 1')
  })

  test.for([
    { it: 'commas in strings', body: JSON.stringify({ text: ','.repeat(40_000) }), is: false },
    { it: 'escaped quotes', body: JSON.stringify({ text: `"${'",'.repeat(30_000)}` }), is: false },
    { it: 'objects', body: JSON.stringify(Array.from({ length: 30_000 }, () => ({ a: 1 }))), is: false },
    { it: 'names', body: JSON.stringify({ NodeNames: Array.from({ length: 30_000 }, () => 'a') }), is: true },
  ])('$it: $is', ({ body, is }) => {
    const bytes = Buffer.from(body)
    expect(createNameCounter(10).add(bytes)).toBe(is)
    // The parts of a body end anywhere, also between a backslash and a quote.
    const counter = createNameCounter(10)
    let isTooMany = false
    for (let i = 0; i < bytes.length; i += 7) isTooMany ||= counter.add(bytes.subarray(i, i + 7))
    expect(isTooMany).toBe(is)
  })
})

test('paths and queries of refused requests are not kept as labels of the metrics', async () => {
  await using extender = await startTestExtender({ limits: { maxRequestBytes: 1_000 } })
  const large = JSON.stringify({ text: 'x'.repeat(2_000) })
  for (let i = 0; i < 3; i++) {
    await post(extender.address, `/none-${i}`, large)
    const refused = await post(extender.address, `/filter?none-${i}`, large)
    expect(refused.json()).toMatchObject({ NodeNames: [] })
  }
  const metrics = await extender.metrics.registry.metrics()
  expect(metrics).not.toContain('none')
  expect(metrics).toContain('{verb="filter",result="bad_request"} 3')
})

describe('connections', () => {
  test('idle connections are closed for newer ones, so that a caller always gets in', async () => {
    await using extender = await startTestExtender({ maxConnections: 10 })
    let closed = 0
    for (let i = 0; i < 400; i++) {
      const socket = open(extender)
      socket.on('close', () => (closed += 1))
      await once(socket, 'connect')
    }
    const body = { Pod: pod, NodeNames: [] }
    expect(errorOf(await post(extender.address, '/filter', body))).toBe('')
    await expect.poll(() => closed).toBeGreaterThanOrEqual(400 - 256)
    expect(closed).toBeLessThan(400)
  })
})
