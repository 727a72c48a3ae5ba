import type { EffectContext, SchedulingHooks } from '@berth/plugin-api'
import { type Pod, silentLogger } from '@berth/types'
import { expect, test } from 'vitest'
import { createHangDetector, createHookMark } from './hook-mark.ts'

const pod: Pod = { metadata: { namespace: 'team', name: 'pöd', uid: 'uid-1' }, spec: { containers: [] } }

const context: EffectContext = {
  signal: new AbortController().signal,
  log: silentLogger,
  state: new Map(),
  waitingPods: { list: () => [], get: () => undefined },
}

function setUp(hooks: SchedulingHooks) {
  const mark = createHookMark()
  const time = { ms: 0 }
  const detector = createHangDetector(mark.buffer, 1_000, { monotonic: () => time.ms })
  return { hooks: mark.mark('loop', hooks), time, detector }
}

test('reports a hook that runs longer than the limit, with its plugin and its pod', () => {
  const seen: unknown[] = []
  const { hooks, time, detector } = setUp({
    reserve() {
      for (const ms of [0, 500, 999, 1_000]) {
        time.ms = ms
        seen.push(detector.check())
      }
      return undefined
    },
  })
  void hooks.reserve?.(pod, 'node-a', context)
  expect(seen).toEqual([
    undefined,
    undefined,
    undefined,
    { plugin: 'loop', hook: 'reserve', namespace: 'team', pod: 'pöd', uid: 'uid-1' },
  ])
  time.ms = 9_000
  expect(detector.check()).toBeUndefined()
})

test('reports no series of short calls, and no hook that threw or waits', () => {
  const { hooks, time, detector } = setUp({
    queueSort: () => {
      expect(detector.check()).toBeUndefined()
      return 0
    },
    permit: () => new Promise(() => {}),
    preBind: () => {
      throw new Error('broken')
    },
  })
  const queued = { pod, attempts: 0, queuedAtMs: 0 }
  for (time.ms = 0; time.ms < 5_000; time.ms += 900) hooks.queueSort?.(queued, queued)
  void hooks.permit?.(pod, 'node-a', context)
  expect(() => hooks.preBind?.(pod, 'node-a', context)).toThrow('broken')
  time.ms = 60_000
  expect(detector.check()).toBeUndefined()
})

test('does not count the time in which the whole process was stopped', () => {
  const seen: unknown[] = []
  const { hooks, time, detector } = setUp({
    reserve() {
      for (const ms of [0, 60_000, 60_500]) {
        time.ms = ms
        seen.push(detector.check())
      }
      return undefined
    },
  })
  void hooks.reserve?.(pod, 'node-a', context)
  expect(seen).toMatchObject([undefined, undefined, { hook: 'reserve' }])
})
