import { expect, test } from 'vitest'
import { sampleCluster } from '../testing/sample-cluster.ts'
import { samplePod } from '../testing/sample-pod.ts'
import { requestedResources } from './requested-resources.ts'

const { reader } = sampleCluster([])
const resources = [
  { name: 'example.com/dongle', weight: 1 },
  { name: 'cpu', weight: 2 },
  { name: 'example.com/seat', weight: 3 },
]

test('returns the resources that the pod requests, with their units and their other fields', () => {
  const pod = samplePod({ 'example.com/dongle': 2, 'example.com/seat': 0, cpu: '500m' })
  expect(requestedResources(pod, resources, reader)).toEqual([
    { name: 'example.com/dongle', weight: 1, units: 2n },
    { name: 'cpu', weight: 2, units: 500n },
  ])
})

test('returns nothing for a pod that requests none of them', () => {
  expect(requestedResources(samplePod({ 'example.com/other': 4 }), resources, reader)).toEqual([])
})
