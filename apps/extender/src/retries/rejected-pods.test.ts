import { type FakeClock, fakeClock } from '@berth/clock/testing'
import type { Pod } from '@berth/types'
import { expect, test } from 'vitest'
import { createRejectedPods, type RejectedPods } from './rejected-pods.ts'

interface Scene {
  readonly pods: RejectedPods
  readonly clock: FakeClock
  /** Names of the pods that were evaluated again, in order. */
  readonly evaluated: string[]
  /** Names of the pods for which a retry was requested, in order. */
  readonly retried: string[]
  /** Reports a cluster change, after which these pods fit. */
  readonly change: (...fitting: readonly string[]) => void
}

function createScene(): Scene {
  const clock = fakeClock()
  const evaluated: string[] = []
  const retried: string[] = []
  const listeners = new Set<() => void>()
  let fits: readonly string[] = []
  const pods = createRejectedPods({
    fits: ({ pod }) => {
      const name = pod.metadata.name ?? ''
      evaluated.push(name)
      if (name === 'broken') throw new Error('a plugin failed')
      return fits.includes(name)
    },
    isPending: ({ metadata }) => (metadata.name === 'unseen' ? undefined : true),
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    requestRetry: ({ metadata }) => void retried.push(metadata.name ?? ''),
    clock,
  })
  const change = (...fitting: readonly string[]): void => {
    fits = fitting
    for (const listener of listeners) listener()
  }
  return { pods, clock, evaluated, retried, change }
}

function request(name: string, controller?: string) {
  const ownerReferences =
    controller === undefined
      ? []
      : [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: controller, uid: controller, controller: true }]
  const pod: Pod = {
    metadata: { name, namespace: 'default', uid: `uid-${name}`, ownerReferences },
    spec: { containers: [] },
  }
  return { pod, names: ['node-1'], nodes: undefined }
}

test('a pod without a later change is not evaluated again', async () => {
  const { pods, clock, evaluated } = createScene()
  pods.add(request('a'))
  await clock.advance(60_000)
  expect(evaluated).toEqual([])
  expect(clock.pendingTimers()).toBe(0)
})

test('the changes of one second cause one evaluation', async () => {
  const { pods, clock, evaluated, retried, change } = createScene()
  pods.add(request('a'))
  change()
  await clock.advance(500)
  change('a')
  expect(evaluated).toEqual([])
  await clock.advance(500)
  expect(evaluated).toEqual(['a'])
  expect(retried).toEqual(['a'])
  change('a')
  await clock.advance(5_000)
  expect(retried).toEqual(['a'])
})

test('of the pods of one controller, only the last is evaluated', async () => {
  const { pods, clock, evaluated, change } = createScene()
  for (const name of ['a', 'b', 'c']) pods.add(request(name, 'web'))
  change()
  await clock.advance(5_000)
  expect(evaluated).toEqual(['c'])
})

test('evaluations have a distance, and the oldest of more than 32 pods is forgotten', async () => {
  const { pods, clock, evaluated, change } = createScene()
  for (let i = 0; i < 40; i++) pods.add(request(`pod-${i}`))
  change()
  await clock.advance(1_000)
  expect(evaluated).toEqual(['pod-8'])
  await clock.advance(30)
  expect(evaluated).toEqual(['pod-8', 'pod-9'])
  await clock.advance(30 * 30)
  expect(evaluated).toHaveLength(32)
})

test('a pod that the view does not contain yet is evaluated after a later change', async () => {
  const { pods, clock, evaluated, change } = createScene()
  pods.add(request('unseen'))
  change('unseen')
  await clock.advance(5_000)
  expect(evaluated).toEqual([])
  expect(clock.pendingTimers()).toBe(0)
})

test('a pod that cannot be evaluated does not stop the others', async () => {
  const { pods, clock, retried, change } = createScene()
  pods.add(request('broken'))
  pods.add(request('a'))
  change('a')
  await clock.advance(5_000)
  expect(retried).toEqual(['a'])
})

test('a rejection older than the view may be is forgotten', async () => {
  const { pods, clock, retried, change } = createScene()
  pods.add(request('a'))
  await clock.advance(121_000)
  change('a')
  await clock.advance(5_000)
  expect(retried).toEqual([])
})

test('nothing happens after the end', async () => {
  const { pods, clock, evaluated, change } = createScene()
  pods.add(request('a'))
  change('a')
  pods[Symbol.dispose]()
  await clock.advance(5_000)
  expect(evaluated).toEqual([])
})
