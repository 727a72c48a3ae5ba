import { expect, test } from 'vitest'
import type { PodDevices } from '../node-helper/pod-devices.ts'
import { deviceUsage } from './device-usage.ts'

const SEAT = 'e.x/seat'
const held = (pod: string, ids: readonly string[], more: Partial<PodDevices> = {}): PodDevices => ({
  namespace: 'default',
  pod,
  container: 'main',
  resourceName: SEAT,
  ids: [...ids],
  ...more,
})
const usageOf = (...list: readonly PodDevices[]) => deviceUsage(list, new Set([SEAT]))

test('counts the devices of each pod once, and names the containers that hold a device', () => {
  const usage = usageOf(
    held('p', ['a', 'b']),
    held('p', ['b'], { container: 'sidecar' }),
    held('q', ['c'], { namespace: 'other' }),
    held('r', ['a'], { resourceName: 'e.x/other' }),
  )
  expect(usage.perPod).toEqual([
    { resourceName: SEAT, namespace: 'default', pod: 'p', devices: 2 },
    { resourceName: SEAT, namespace: 'other', pod: 'q', devices: 1 },
  ])
  expect(usage.holders(SEAT, 'b')).toEqual(['default/p/main', 'default/p/sidecar'])
  expect(usage.holders(SEAT, 'free')).toEqual([])
  expect(usage.doubleAssigned).toEqual([])
})

test('reports a device that two pods hold, also with a space in its id', () => {
  const usage = usageOf(held('q', ['a b', 'c']), held('p', ['a b']), held('q', ['x'], { namespace: 'other' }))
  expect(usage.doubleAssigned).toEqual([{ resourceName: SEAT, id: 'a b', pods: ['default/p', 'default/q'] }])
})
