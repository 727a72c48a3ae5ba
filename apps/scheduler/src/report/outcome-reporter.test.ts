import { fakeClock } from '@berth/clock/testing'
import type { Pod } from '@berth/types'
import { silentLogger } from '@berth/types'
import { expect, test } from 'vitest'
import { createOutcomeReporter, type OutcomeReporterOptions } from './outcome-reporter.ts'

const condition = (reason: string, message: string) =>
  ({ type: 'PodScheduled', status: 'False', reason, message }) as const

function podWith(reason: string, message: string): Pod {
  return {
    metadata: { name: 'web', namespace: 'default', uid: 'uid-web', resourceVersion: '9' },
    spec: { containers: [] },
    status: { conditions: [condition(reason, message)] },
  }
}

type Patch = { readonly status: Pod['status'] }

/** A reporter whose patches are answered in turn; an error is thrown, and otherwise the pod has the next resourceVersion. */
function reporterWith(...errors: readonly (Error | undefined)[]) {
  const patches: Patch['status'][] = []
  let version = 10
  let held = Promise.resolve()
  const client = {
    patch: async (_resource: unknown, _target: unknown, body: Patch) => {
      const error = errors[patches.length]
      patches.push(body.status)
      await held
      if (error !== undefined) throw error
      return { metadata: { resourceVersion: String(version++) }, status: body.status }
    },
  } as unknown as OutcomeReporterOptions['client']
  const events = {
    record: () => undefined,
    waitForRoom: () => Promise.resolve(),
  } as unknown as OutcomeReporterOptions['events']
  const { signal } = new AbortController()
  const clock = fakeClock()
  let delivered: Pod | undefined = podWith('', '')
  const reporter = createOutcomeReporter({
    client,
    events,
    clock,
    random: () => 0,
    log: silentLogger,
    signal,
    waitingPod: () => delivered,
    mayStart: () => true,
  })
  return {
    clock,
    bindByOther: () => void (delivered = undefined),
    deliver: (pod: Pod) => void (delivered = pod),
    /** Withholds the answers of the API server until the returned function is called. */
    hold: (): (() => void) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      held = promise
      return resolve
    },
    reporter,
    patches,
    reasons: () => patches.map((status) => status?.conditions?.[0]?.reason),
  }
}

test('a condition is written again when the watch has not delivered the one that was written in between', async () => {
  const { reporter, reasons } = reporterWith()
  const pod = podWith('Unschedulable', 'no room')
  await reporter.failed(pod, 'SchedulerError', 'the bind failed')
  await reporter.failed(pod, 'Unschedulable', 'no room')
  expect(reasons()).toEqual(['SchedulerError', 'Unschedulable'])
})

test('a condition that was written is not written again before the watch delivers it', async () => {
  const { reporter, reasons } = reporterWith()
  const pod = podWith('Unschedulable', 'no room')
  await reporter.failed(pod, 'SchedulerError', 'the bind failed')
  await reporter.failed(pod, 'SchedulerError', 'the bind failed')
  expect(reasons()).toEqual(['SchedulerError'])
})

/** A pod with a version, whose condition is the one before the write. */
const withVersion = (resourceVersion: string): Pod => {
  const pod = podWith('Unschedulable', 'no room')
  return { ...pod, metadata: { ...pod.metadata, resourceVersion } }
}

test.for<readonly [string, Pod, readonly string[]]>([
  ['an older version', withVersion('9'), ['SchedulerError']],
  ['a newer version, with the condition of another writer', withVersion('11'), ['SchedulerError', 'SchedulerError']],
])('a written condition is remembered until the watch delivers it: %s', async ([, delivered, reasons]) => {
  const parts = reporterWith()
  const pod = withVersion('9')
  await parts.reporter.failed(pod, 'SchedulerError', 'the bind failed')
  parts.deliver(delivered)
  parts.reporter.observe({ kind: 'pod-updated', old: pod, pod: delivered })
  await parts.reporter.failed(pod, 'SchedulerError', 'the bind failed')
  expect(parts.reasons()).toEqual(reasons)
})

test('a written condition is forgotten when the pod is deleted', async () => {
  const { reporter, reasons } = reporterWith()
  const pod = withVersion('9')
  await reporter.failed(pod, 'SchedulerError', 'the bind failed')
  reporter.observe({ kind: 'pod-deleted', pod })
  await reporter.failed(pod, 'SchedulerError', 'the bind failed')
  expect(reasons()).toEqual(['SchedulerError', 'SchedulerError'])
})

test('a written condition is not remembered if the watch delivers it, and a change by another writer, before the response', async () => {
  const { reporter, deliver, reasons } = reporterWith()
  const pod = withVersion('9')
  deliver(withVersion('11'))
  await reporter.failed(pod, 'SchedulerError', 'the bind failed')
  await reporter.failed(pod, 'SchedulerError', 'the bind failed')
  expect(reasons()).toEqual(['SchedulerError', 'SchedulerError'])
})

test('a report that waited behind another is compared with what the watch has delivered in the meantime', async () => {
  const { reporter, deliver, hold, patches, clock } = reporterWith()
  const pod = withVersion('9')
  const resume = hold()
  const first = reporter.failed(pod, 'SchedulerError', 'the bind failed', '')
  await clock.settle()
  const second = reporter.failed(pod, 'Unschedulable', 'no room', '')
  const delivered = {
    ...withVersion('10'),
    status: { conditions: [condition('SchedulerError', 'the bind failed')], nominatedNodeName: 'node-1' },
  }
  deliver(delivered)
  reporter.observe({ kind: 'pod-updated', old: pod, pod: delivered })
  resume()
  await Promise.all([first, second])
  expect(patches).toEqual([
    { conditions: [expect.objectContaining(condition('SchedulerError', 'the bind failed'))] },
    { conditions: [expect.objectContaining(condition('Unschedulable', 'no room'))], nominatedNodeName: null },
  ])
})

test('a condition is written after a write without a response, whatever the watch has delivered before', async () => {
  const { reporter, reasons, clock } = reporterWith(new Error('the connection broke'))
  const pod = podWith('Unschedulable', 'no room')
  void reporter.failed(pod, 'SchedulerError', 'the bind failed')
  await clock.settle()
  const second = reporter.failed(pod, 'Unschedulable', 'no room')
  await clock.advance(1_000)
  await second
  expect(reasons()).toEqual(['SchedulerError', 'Unschedulable'])
})

test('a write that fails is repeated until it succeeds', async () => {
  const lost = new Error('the connection broke')
  const { reporter, reasons, clock } = reporterWith(lost, lost)
  const done = reporter.failed(podWith('', ''), 'Unschedulable', 'no room')
  await clock.advance(999)
  expect(reasons()).toHaveLength(1)
  await clock.advance(1)
  expect(reasons()).toHaveLength(2)
  await clock.advance(2_000)
  await done
  expect(reasons()).toHaveLength(3)
  await clock.advance(60_000)
  expect(reasons()).toHaveLength(3)
})

test('a write is given up after five failures, and when the pod is bound meanwhile', async () => {
  const lost = new Error('the connection broke')
  const endless = reporterWith(...Array.from({ length: 9 }, () => lost))
  void endless.reporter.failed(podWith('', ''), 'Unschedulable', 'no room')
  await endless.clock.advance(60_000)
  expect(endless.reasons()).toHaveLength(5)

  const scheduled = reporterWith(lost)
  const pod = podWith('', '')
  void scheduled.reporter.failed(pod, 'Unschedulable', 'no room')
  await scheduled.clock.settle()
  await scheduled.reporter.scheduled(pod, 'node-1')
  await scheduled.clock.advance(60_000)
  expect(scheduled.reasons()).toHaveLength(1)

  const bound = reporterWith(lost)
  void bound.reporter.failed(pod, 'Unschedulable', 'no room')
  await bound.clock.settle()
  bound.bindByOther()
  await bound.clock.advance(60_000)
  expect(bound.reasons()).toHaveLength(1)
})

test('a nomination that was written a moment ago is cleared', async () => {
  const { reporter, patches } = reporterWith()
  const pod = podWith('Unschedulable', 'no room')
  await reporter.failed(pod, 'Unschedulable', 'no room', 'node-1')
  await reporter.failed(pod, 'Unschedulable', 'no room', '')
  expect(patches.map((status) => status?.nominatedNodeName)).toEqual(['node-1', null])
})

test('a nomination is cleared after a write of it without a response', async () => {
  const { reporter, patches } = reporterWith(new Error('the connection broke'))
  const pod = podWith('Unschedulable', 'no room')
  await reporter.failed(pod, 'Unschedulable', 'no room', 'node-1')
  await reporter.failed(pod, 'Unschedulable', 'no room', '')
  expect(patches.map((status) => status?.nominatedNodeName)).toEqual(['node-1', null])
})
