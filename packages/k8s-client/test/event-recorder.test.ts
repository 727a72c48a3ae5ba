import type { Event } from '@berth/types'
import { describe, expect, test } from 'vitest'
import type { EventInput } from '../src/index.ts'
import { failed, ok, step, testClient } from './test-client.ts'

const input: EventInput = {
  regarding: { kind: 'Pod', namespace: 'team', name: 'web', uid: 'u' },
  type: 'Warning',
  reason: 'FailedScheduling',
  action: 'Scheduling',
  note: '0/3 nodes are available: 3 Insufficient example.com/dongle.',
}
const create = 'POST /apis/events.k8s.io/v1/namespaces/team/events'
const patch = 'PATCH /apis/events.k8s.io/v1/namespaces/team/events/web.'

describe('the event recorder', () => {
  test('writes an events.k8s.io/v1 event with six-digit time, in the background', async () => {
    const { cluster, clock, server } = testClient(step(ok({}, 201), create))
    cluster.events.record(input)
    expect(server.requests).toHaveLength(0)
    await clock.settle()
    expect(server.bodies[0]).toEqual({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: `web.${(1_767_225_600_000n * 1_000_000n).toString(16)}`, namespace: 'team' },
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'berth-test',
      reportingInstance: 'berth-test-host',
      action: 'Scheduling',
      reason: 'FailedScheduling',
      note: input.note,
      type: 'Warning',
      regarding: input.regarding,
    })
    expect(cluster.events.stats()).toEqual({ created: 1, seriesPatched: 0, dropped: 0, waiting: 0 })
  })

  test('drops a waiting event once mayStart returns false', async () => {
    let isLeader = true
    const { cluster, clock, server } = testClient(
      step(failed(429, '', { 'retry-after': '5' }), create),
      step(ok({}), create),
    )
    cluster.events.record({ ...input, mayStart: () => isLeader })
    await clock.advance(1_000)
    isLeader = false
    await clock.advance(10_000)
    expect(server.requests).toHaveLength(1)
    expect(cluster.events.stats()).toEqual({ created: 0, seriesPatched: 0, dropped: 1, waiting: 0 })
  })

  test('repeats raise the count of a series, written at most every half minute', async () => {
    const { cluster, clock, server } = testClient(step(ok({}, 201), create), step(ok({}), patch, 9))
    for (let i = 0; i < 60; i++) {
      cluster.events.record(input)
      await clock.advance(1_000)
    }
    const series = server.bodies.slice(1).map((body) => (body as Event).series)
    expect(series.map((one) => one?.count)).toEqual([2, 31])
    expect(series[1]?.lastObservedTime).toBe('2026-01-01T00:00:30.000000Z')
    await clock.advance(30_000)
    expect((server.bodies.at(-1) as Event).series?.count).toBe(60)
    expect(server.requests.at(-1)?.headers['content-type']).toBe('application/merge-patch+json')
  })

  test('a repeat before the first write is not lost', async () => {
    const { cluster, clock, server } = testClient(step(ok({}, 201), create), step(ok({}), patch))
    for (let i = 0; i < 3; i++) cluster.events.record(input)
    await clock.settle()
    expect(server.bodies[0]).not.toHaveProperty('series')
    expect(server.bodies[1]).toMatchObject({ series: { count: 3 } })
    expect(cluster.events.stats()).toEqual({ created: 1, seriesPatched: 1, dropped: 0, waiting: 0 })
  })

  test('writes the same event under two controllers as two events', async () => {
    const { cluster, clock, server } = testClient(step(ok({}, 201), create, 2))
    cluster.events.record({ ...input, controller: 'chaos-scheduler' })
    cluster.events.record(input)
    await clock.settle()
    const reporters = server.bodies.map((body) => (body as Event).reportingController)
    expect(reporters).toEqual(['chaos-scheduler', 'berth-test'])
    expect(server.bodies[0]).toMatchObject({ reportingInstance: 'berth-test-host' })
  })

  test('a different note, or a repeat after six minutes, makes a new event with its own name', async () => {
    const { cluster, clock, server } = testClient(step(ok({}, 201), create, 9))
    cluster.events.record(input)
    await clock.settle()
    cluster.events.record({ ...input, note: 'another' })
    await clock.advance(6 * 60_000)
    cluster.events.record(input)
    await clock.settle()
    const names = server.bodies.map((body) => (body as Event).metadata.name)
    expect(new Set(names).size).toBe(3)
  })

  test('continues a series in a new event if the old one has expired on the server', async () => {
    const { cluster, clock, server } = testClient(step(ok({}, 201), create, 2), step(failed(404), patch))
    cluster.events.record(input)
    await clock.settle()
    cluster.events.record(input)
    await clock.settle()
    expect(server.remaining()).toBe(0)
    expect(server.bodies.at(-1)).toMatchObject({ series: { count: 2 } })
  })

  test('never throws: a refusal or an odd input is counted', async () => {
    const { cluster, clock } = testClient(step(failed(403), create))
    cluster.events.record(input)
    await clock.settle()
    expect(cluster.events.stats().dropped).toBe(1)
    expect(() => cluster.events.record({ ...input, regarding: undefined } as unknown as EventInput)).not.toThrow()
    expect(cluster.events.stats().dropped).toBe(2)
  })

  test('cuts notes at 1,024 bytes without cutting a character', async () => {
    const { cluster, clock, server } = testClient(step(ok({}, 201), create))
    cluster.events.record({
      ...input,
      note: 'é'.repeat(2_000),
      related: { kind: 'Node', name: 'n' },
      reason: 'x'.repeat(200),
    })
    await clock.settle()
    const event = server.bodies[0] as Event
    expect(Buffer.byteLength(event.note ?? '')).toBeLessThanOrEqual(1_024)
    expect(event.note).toMatch(/^é{510} \.\.\.$/)
    expect(event.reason).toHaveLength(128)
    expect(event.related).toEqual({ kind: 'Node', name: 'n' })
  })

  test('leaves no scheduled write after closing that would keep the process alive', async () => {
    const { cluster, clock, server } = testClient(step(ok({}, 201), create), step(ok({}), patch, 9))
    for (let i = 0; i < 4; i++) {
      cluster.events.record(input)
      await clock.settle()
    }
    expect(clock.pendingTimers()).toBeGreaterThan(0)
    const closing = cluster[Symbol.asyncDispose]()
    await clock.settle()
    await closing
    expect((server.bodies.at(-1) as Event).series?.count).toBe(4)
    expect(clock.pendingTimers()).toBe(0)
  })

  test('writes events of cluster-wide objects to default, and flushes the queue in bounded time on close', async () => {
    const path = 'POST /apis/events.k8s.io/v1/namespaces/default/events'
    const { cluster, clock, server } = testClient(
      step(ok({}, 201), path),
      step(ok({}), 'PATCH'),
      step({ kind: 'hang' }),
    )
    const node = { ...input, regarding: { kind: 'Node', name: 'n1' } }
    cluster.events.record(node)
    await clock.settle()
    cluster.events.record(node)
    cluster.events.record(node)
    await clock.settle()
    cluster.events.record(node)
    const closing = cluster[Symbol.asyncDispose]()
    await clock.advance(5_100)
    await closing
    expect(server.requests).toHaveLength(3)
    cluster.events.record({ ...node, note: 'too late' })
    await clock.settle()
    expect(server.requests).toHaveLength(3)
  })
})
