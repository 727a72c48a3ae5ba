import type { Pod } from '@berth/types'
import { expect, test } from 'vitest'
import { createUnhealthyPods } from './unhealthy-pods.ts'

const DONGLE = 'example.com/dongle'
const LIMIT_MS = 1_000

function pod(uid: string, ...unhealthyIds: readonly string[]): Pod {
  const resources = ['a', 'b'].map((id) => ({
    resourceID: id,
    health: unhealthyIds.includes(id) ? 'Unhealthy' : 'Healthy',
  }))
  return {
    metadata: { name: uid, namespace: 'default', uid },
    spec: { containers: [{ name: 'main' }] },
    status: {
      phase: 'Running',
      containerStatuses: [{ name: 'main', allocatedResourcesStatus: [{ name: DONGLE, resources }] }],
    },
  }
}

const setUp = () => createUnhealthyPods({ resources: new Set([DONGLE]), limitMs: LIMIT_MS })

test('is due after the limit, the longest first', () => {
  const pods = setUp()
  expect(pods.next(0)).toBe(Infinity)
  pods.update(pod('p', 'a'), 0)
  pods.update(pod('q', 'a'), 10)
  pods.update(pod('p', 'a', 'b'), 500)
  expect(pods.next(500)).toBe(500)
  expect(pods.next(1_000)).toMatchObject({ pod: { metadata: { uid: 'p' } }, device: { id: 'a', sinceMs: 0 } })
  pods.remove('p')
  expect(pods.next(1_000)).toBe(10)
  expect([pods.size, pods.due('q', 1_009), pods.due('p', 1_009)]).toEqual([1, undefined, undefined])
})

test('begins again when the device was healthy in between, and counts each device alone', () => {
  const pods = setUp()
  pods.update(pod('p', 'a'), 0)
  pods.update(pod('p', 'b'), 900)
  pods.update(pod('p', 'a', 'b'), 950)
  expect(pods.next(1_000)).toBe(900)
  pods.update(pod('p'), 1_100)
  expect([pods.size, pods.next(1_100)]).toEqual([0, Infinity])
})

test('begins all times again after the view was stale', () => {
  const pods = setUp()
  pods.update(pod('p', 'a'), 0)
  pods.restart(5_000)
  expect(pods.next(5_000)).toBe(LIMIT_MS)
})

test('is due again at the time of a retry, and never after it is finished, until it has recovered', () => {
  const pods = setUp()
  pods.update(pod('p', 'a'), 0)
  pods.retry('p', 3_000)
  expect(pods.next(1_000)).toBe(2_000)
  expect(pods.next(3_000)).toMatchObject({ failures: 1 })
  pods.finish('p')
  pods.update(pod('p', 'a', 'b'), 3_500)
  expect(pods.next(1e9)).toBe(Infinity)
  pods.update(pod('p'), 4_000)
  pods.update(pod('p', 'a'), 5_000)
  expect(pods.next(6_000)).toMatchObject({ failures: 0, device: { sinceMs: 5_000 } })
})
