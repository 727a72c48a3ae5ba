import type { Pod } from '@berth/types'
import { expect, test } from 'vitest'
import { createDeviceOutages } from './device-outages.ts'

const DONGLE = 'example.com/dongle'
const SEAT = 'example.com/seat'

function pod(uid: string, nodeName: string, health: string, resourceName = DONGLE): Pod {
  const allocatedResourcesStatus = [{ name: resourceName, resources: [{ resourceID: uid, health }] }]
  return {
    metadata: { name: uid, namespace: 'lab', uid },
    spec: { nodeName, containers: [{ name: 'main', resources: { limits: { [resourceName]: '1' } } }] },
    status: { phase: 'Running', containerStatuses: [{ name: 'main', allocatedResourcesStatus }] },
  }
}

const setUp = (...pods: readonly Pod[]) => {
  const outages = createDeviceOutages({ resources: new Set([DONGLE, SEAT]), maxUnhealthyPercent: 50 })
  for (const each of pods) outages.update(each)
  return outages
}

test('two nodes are never an outage, and three of five are one', () => {
  const two = [pod('a', 'n1', 'Unhealthy'), pod('b', 'n2', 'Unhealthy'), pod('c', 'n2', 'Unhealthy')]
  expect(setUp(...two).problem(DONGLE)).toBeUndefined()
  const outages = setUp(...two, pod('d', 'n3', 'Unhealthy'), pod('e', 'n4', 'Healthy'), pod('f', 'n5', 'Healthy'))
  expect(outages.problem(DONGLE)).toBe(
    '3 of the 5 nodes whose pods hold example.com/dongle have an Unhealthy device, more than 50 %: check its device plugin, or raise eviction.maxUnhealthyPercent',
  )
  outages.update(pod('g', 'n6', 'Healthy'))
  expect(outages.problem(DONGLE)).toBeUndefined()
  outages.remove('g')
  outages.update(pod('d', 'n3', 'Healthy'))
  expect(outages.problem(DONGLE)).toBeUndefined()
})

test('counts each resource alone, and forgets pods that are gone or end', () => {
  const bad = ['n1', 'n2', 'n3'].map((nodeName) => pod(nodeName, nodeName, 'Unhealthy'))
  const outages = setUp(...bad, ...['n1', 'n2', 'n3'].map((node) => pod(`seat-${node}`, node, 'Healthy', SEAT)))
  expect(outages.problem(DONGLE)).toContain('3 of the 3 nodes')
  expect(outages.problem(SEAT)).toBeUndefined()
  outages.update({
    ...pod('n1', 'n1', 'Unhealthy'),
    metadata: { uid: 'n1', deletionTimestamp: '2026-01-01T00:00:00Z' },
  })
  expect(outages.problem(DONGLE)).toBeUndefined()
  outages.update(pod('n1', 'n1', 'Unhealthy'))
  outages.remove('n2')
  expect(outages.problem(DONGLE)).toBeUndefined()
})
