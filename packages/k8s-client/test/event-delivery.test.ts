import { fakeClock } from '@berth/clock/testing'
import type { ApiResponse, Event, LogFields, Logger } from '@berth/types'
import { silentLogger } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { connectCluster, type EventDropCause, type EventInput } from '../src/index.ts'
import { type ScriptedAnswer, scriptedHandler } from '../src/testing.ts'
import { failed, ok } from './test-client.ts'

const QPS = 100
/** Repeats within this time belong to one series. */
const SIX_MINUTES_MS = 6 * 60_000

interface Recorded {
  readonly fields: LogFields
  readonly message: string
}

/** Starts a recorder whose API server answers each request as `answer` says, and records what became of the events. */
function startRecorder(answer: (event: Event) => ScriptedAnswer) {
  const clock = fakeClock()
  const lines: Recorded[] = []
  const log: Logger = {
    ...silentLogger,
    warn: (fields: LogFields, message: string) => void lines.push({ fields, message }),
  }
  const drops: EventDropCause[] = []
  const written: string[] = []
  const server = scriptedHandler([], (request) =>
    answer(JSON.parse(new TextDecoder().decode(request.body ?? new Uint8Array())) as Event),
  )
  const cluster = connectCluster({
    handler: server.handle,
    log,
    clock,
    random: () => 0.5,
    qps: QPS,
    burst: QPS,
    userAgent: 'berth-test/1.0',
    observeEvents: { written: (reason) => void written.push(reason), dropped: (_, cause) => void drops.push(cause) },
  })
  return { cluster, events: cluster.events, clock, server, lines, drops, written }
}

function scheduled(pod: number): EventInput {
  return {
    regarding: { kind: 'Pod', namespace: 'team', name: `web-${pod}`, uid: `uid-${pod}` },
    type: 'Normal',
    reason: 'Scheduled',
    action: 'Binding',
    note: `Successfully assigned team/web-${pod} to node-a`,
    delivery: 'each',
  }
}

function failedScheduling(pod: number, note: string): EventInput {
  return {
    ...scheduled(pod),
    type: 'Warning',
    reason: 'FailedScheduling',
    action: 'Scheduling',
    note,
    delivery: 'latest',
  }
}

const never = new AbortController().signal
const isScheduled = (event: Event): boolean => event.reason === 'Scheduled'

/** Records events one after the other, each as soon as there is room; returns how many were recorded so far. */
function recordAll(events: ReturnType<typeof startRecorder>['events'], count: number): { readonly recorded: number } {
  const progress = { recorded: 0 }
  void (async () => {
    for (let i = 0; i < count; i++) {
      events.record(scheduled(i))
      progress.recorded += 1
      await events.waitForRoom(never)
    }
  })()
  return progress
}

describe('events that are written each', () => {
  test('slow the caller down to the rate at which they can be written, and none is lost', async () => {
    const { events, clock, drops, written } = startRecorder(() => ok({}, 201))
    const progress = recordAll(events, 3_000)
    await clock.advance(5_000)
    expect(events.stats().created).toBeGreaterThanOrEqual(5 * QPS)
    expect(progress.recorded - events.stats().created).toBeLessThanOrEqual(251 + 128)
    await clock.advance(30_000)
    expect(events.stats()).toEqual({ created: 3_000, seriesPatched: 0, dropped: 0, waiting: 0 })
    expect(drops).toEqual([])
    expect(written).toHaveLength(3_000)
  })

  test.for([
    { it: 'answers 500', answer: failed(500, 'InternalError') },
    { it: 'answers 503', answer: failed(503, 'ServiceUnavailable') },
    { it: 'hangs', answer: { kind: 'hang' } },
    { it: 'breaks the connection', answer: { kind: 'drop' } },
  ] as const)('do not stop the caller when the server $it, and are written once it recovers', async ({ answer }) => {
    let isFailing = true
    const { events, clock, drops } = startRecorder(() => (isFailing ? answer : ok({}, 201)))
    const progress = recordAll(events, 4_000)
    await clock.advance(3_000)
    expect(progress.recorded).toBe(4_000)
    isFailing = false
    await clock.advance(120_000)
    expect(events.stats()).toMatchObject({ created: 4_000, waiting: 0 })
    expect(drops).toEqual([])
  })

  test('do not stop the caller when the server refuses them; each drop is counted, and log lines name it', async () => {
    const { events, clock, drops, lines } = startRecorder(() => failed(403, 'Forbidden'))
    const progress = recordAll(events, 3_000)
    await clock.advance(3_000)
    expect(progress.recorded).toBe(3_000)
    await clock.advance(60_000)
    expect(drops).toEqual(Array.from({ length: 3_000 }, () => 'rejected'))
    const counts = lines.map(({ fields }) => fields['count'] as number)
    expect(counts[0]).toBe(1)
    expect(counts.reduce((a, b) => a + b, 0)).toBe(3_000)
    expect(counts.length).toBeLessThanOrEqual(5)
    expect(lines[0]).toMatchObject({
      message: 'Events were not written',
      fields: { reason: 'Scheduled', cause: 'rejected', object: 'team/web-0' },
    })
  })

  test('are not lost while the server throttles: the caller waits', async () => {
    let isThrottling = true
    const { events, clock, drops } = startRecorder(() =>
      isThrottling ? failed(429, 'TooManyRequests', { 'retry-after': '5' }) : ok({}, 201),
    )
    const progress = recordAll(events, 15_000)
    await clock.advance(30_000)
    expect(progress.recorded).toBeLessThanOrEqual(251 + 128)
    isThrottling = false
    await clock.advance(200_000)
    expect(events.stats()).toMatchObject({ created: 15_000, dropped: 0 })
    expect(drops).toEqual([])
  })

  test('do not slow the caller down while many writes fail, and do so again once the server recovers', async () => {
    let isFailing = true
    let requests = 0
    const { events, clock, drops } = startRecorder(() =>
      isFailing && requests++ % 2 === 0 ? failed(500, 'InternalError') : ok({}, 201),
    )
    const first = recordAll(events, 5_000)
    await clock.advance(3_000)
    expect(first.recorded).toBe(5_000)
    isFailing = false
    await clock.advance(60_000)
    expect(events.stats()).toMatchObject({ waiting: 0, created: 5_000 })
    const second = recordAll(events, 5_000)
    await clock.advance(3_000)
    expect(second.recorded).toBeLessThan(1_000)
    expect(drops).toEqual([])
  })

  test('are bounded while the server fails: the excess is dropped, counted and logged', async () => {
    const { events, clock, drops, lines } = startRecorder(() => failed(500))
    for (let i = 0; i < 12_000; i++) events.record(scheduled(i))
    await clock.settle()
    expect(events.stats().dropped).toBe(2_000)
    expect(new Set(drops)).toEqual(new Set(['queue-full']))
    await clock.advance(10_000)
    expect(lines.filter(({ fields }) => fields['cause'] === 'queue-full').map(({ fields }) => fields['count'])).toEqual(
      [1, 1_999],
    )
  })

  test('count as written when the response of the first attempt was lost', async () => {
    const answers: ScriptedAnswer[] = [{ kind: 'hang' }, failed(409, 'AlreadyExists')]
    const { events, clock, server } = startRecorder(() => answers.shift() ?? ok({}))
    events.record(scheduled(1))
    await clock.advance(30_000)
    expect(server.requests).toHaveLength(2)
    expect(events.stats()).toMatchObject({ created: 1, dropped: 0, waiting: 0 })
  })

  test('are given up after a dozen attempts that the server answered, without delaying others', async () => {
    const { events, clock, drops } = startRecorder(({ regarding }) =>
      regarding.name === 'web-0' ? failed(500) : ok({}, 201),
    )
    for (let i = 0; i < 50; i++) events.record(scheduled(i))
    await clock.advance(1_000)
    expect(events.stats().created).toBe(49)
    await clock.advance(300_000)
    expect(drops).toEqual(['rejected'])
  })

  test('that are left at shutdown are counted and logged', async () => {
    const { cluster, events, clock, drops, lines } = startRecorder(() => ({ kind: 'hang' }))
    for (let i = 0; i < 40; i++) events.record(scheduled(i))
    const closing = cluster[Symbol.asyncDispose]()
    await clock.advance(5_100)
    await closing
    expect(drops).toEqual(Array.from({ length: 40 }, () => 'shutdown'))
    const logged = lines.map(({ fields }) => fields['count'] as number)
    expect(logged.reduce((a, b) => a + b, 0)).toBe(40)
    expect(clock.pendingTimers()).toBe(0)
  })
})

describe('events of which the latest matters', () => {
  test('replace an older event about the same pod that is not written yet', async () => {
    const { events, clock, server, drops } = startRecorder(() => ok({}, 201))
    // Uses up the burst.
    for (let pod = 0; pod < QPS / 4; pod++) events.record(failedScheduling(pod, 'first'))
    await clock.settle()
    for (let round = 0; round < 10; round++) {
      for (let pod = 0; pod < 20; pod++) events.record(failedScheduling(pod, `round ${round}`))
    }
    await clock.advance(60_000)
    const notes = server.bodies.slice(QPS / 4).map((body) => (body as Event).note)
    expect(notes).toEqual(Array.from({ length: 20 }, () => 'round 9'))
    expect(drops).toEqual(Array.from({ length: 180 }, () => 'replaced'))
    expect(events.stats().dropped).toBe(0)
  })

  test('stay one series when they repeat while an event older than six minutes waits', async () => {
    const throttled = failed(429, 'TooManyRequests', { 'retry-after': '400' })
    const { events, clock, server, drops } = startRecorder(() => (server.requests.length === 1 ? throttled : ok({})))
    events.record(failedScheduling(0, 'no room'))
    await clock.advance(SIX_MINUTES_MS)
    events.record(failedScheduling(0, 'no room'))
    events.record(failedScheduling(0, 'no room'))
    await clock.advance(60_000)
    const written = server.bodies.slice(1) as readonly Event[]
    expect(written.map(({ series }) => series?.count)).toEqual([undefined, 2])
    expect(events.stats()).toEqual({ created: 1, seriesPatched: 1, dropped: 0, waiting: 0 })
    expect(drops).toEqual(['replaced'])
  })

  test('stay one series when an older event with the same note is given up', async () => {
    let answerSecond: (response: ApiResponse) => void = () => {}
    const second = new Promise<ApiResponse>((resolve) => (answerSecond = resolve))
    const answers: ScriptedAnswer[] = [
      failed(429, 'TooManyRequests', { 'retry-after': '359' }),
      { kind: 'call', handle: () => second },
    ]
    const { events, clock, server, drops } = startRecorder(() => answers.shift() ?? ok({}))
    events.record(failedScheduling(0, 'no room'))
    await clock.advance(SIX_MINUTES_MS)
    events.record(failedScheduling(0, 'no room'))
    await clock.advance(1_000)
    answerSecond({ status: 403, headers: {}, body: (async function* () {})() })
    await clock.advance(1_000)
    events.record(failedScheduling(0, 'no room'))
    await clock.advance(1_000)
    const written = server.bodies.slice(2) as readonly Event[]
    expect(written.map(({ series }) => series?.count)).toEqual([undefined, 2])
    expect(drops).toEqual(['rejected'])
  })

  test('use a quarter of the rate, and do not delay the others', async () => {
    const { events, clock, server } = startRecorder(() => ok({}, 201))
    for (let pod = 0; pod < 2_000; pod++) events.record(failedScheduling(pod, 'no room'))
    for (let pod = 0; pod < 500; pod++) events.record(scheduled(pod))
    await clock.advance(10_000)
    const written = server.bodies as readonly Event[]
    expect(written.filter(isScheduled)).toHaveLength(500)
    const others = written.filter((event) => !isScheduled(event)).length
    expect(others).toBeGreaterThan((10 * QPS) / 8)
    expect(others).toBeLessThanOrEqual((10 * QPS) / 4 + QPS / 4 + 1)
  })

  test('do not delay the others when the server fails to write them', async () => {
    const { events, clock } = startRecorder((event) => (isScheduled(event) ? ok({}, 201) : { kind: 'hang' }))
    for (let pod = 0; pod < 100; pod++) {
      events.record(failedScheduling(pod, 'no room'))
      events.record(scheduled(pod))
    }
    await clock.advance(1_000)
    expect(events.stats().created).toBe(100)
  })
})
