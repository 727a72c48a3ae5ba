import { expect, test } from 'vitest'
import { isMeasuredPod, measuredPodName, nodeName, racePod, storedNodes, storedPods } from './race-cluster.ts'

test('storedNodes generates nodes in three zones, with the given amounts', () => {
  const nodes = Array.from(storedNodes(4, (i) => ({ cpu: `${i + 1}` })))
  expect(nodes.map(([key]) => key)).toEqual([0, 1, 2, 3].map((i) => `minions/${nodeName(i)}`))
  expect(nodes.at(-1)?.[1]).toMatchObject({
    metadata: { labels: { 'topology.kubernetes.io/zone': 'zone-0' } },
    status: { allocatable: { cpu: '4', pods: '250' } },
  })
})

test('storedPods generates a pod for each number', () => {
  const keys = Array.from(
    storedPods(2, (i) => racePod(measuredPodName(i))),
    ([key]) => key,
  )
  expect(keys).toEqual(['pods/default/pod-0', 'pods/default/pod-1'])
})

test('racePod requests extended resources also as limits', () => {
  const [container] = racePod('pod-0', { cpu: '1', extended: { 'example.com/dongle': '2' } }).spec.containers
  expect(container?.resources).toEqual({
    requests: { cpu: '1', memory: '128Mi', 'example.com/dongle': '2' },
    limits: { 'example.com/dongle': '2' },
  })
})

test.for([
  { it: 'pending without a node', nodeName: undefined, phase: 'Pending' },
  { it: 'running with a node', nodeName: 'node-1', phase: 'Running' },
])('racePod is $it', ({ nodeName, phase }) => {
  const { status } = racePod('pod-0', {}, nodeName === undefined ? {} : { nodeName })
  expect(status?.phase).toBe(phase)
})

test('isMeasuredPod tells measured pods from others', () => {
  expect([measuredPodName(3), 'victim-3', undefined].map(isMeasuredPod)).toEqual([true, false, false])
})
