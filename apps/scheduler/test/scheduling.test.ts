import { resourceRefs } from '@berth/k8s-client'
import type { Pod } from '@berth/types'
import { expect, test } from 'vitest'
import { startTestCluster } from './test-cluster.ts'

const DONGLE = 'example.com/dongle'
const NO_DONGLE =
  '0/1 nodes are available: 1 Insufficient example.com/dongle. ' +
  'preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.'

test('binds a pod to the node that has the requested resources, and records an event', async () => {
  await using cluster = await startTestCluster()
  await cluster.createNode('without', {})
  await cluster.createNode('with', { [DONGLE]: '4' })
  await cluster.createPod('web', { requests: { [DONGLE]: '1' } })
  await cluster.settle()
  const pod = await cluster.pod('web')
  expect(pod.spec.nodeName).toBe('with')
  expect(pod.status?.conditions?.find(({ type }) => type === 'PodScheduled')?.status).toBe('True')
  await cluster.clock.advance(1_000)
  expect(await cluster.events('web')).toEqual(['Scheduled: Successfully assigned default/web to with'])
})

test('keeps a pod pending with the reason, and binds it when capacity appears', async () => {
  await using cluster = await startTestCluster()
  await cluster.createNode('node-a', { [DONGLE]: '4' })
  await cluster.createPod('first', { requests: { [DONGLE]: '3' } })
  await cluster.settle()
  await cluster.createPod('second', { requests: { [DONGLE]: '2' } })
  await cluster.clock.advance(1_000)

  const waiting = await cluster.pod('second')
  expect(waiting.spec.nodeName).toBeUndefined()
  expect(waiting.status?.conditions).toMatchObject([
    {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message: NO_DONGLE,
    },
  ])
  expect(await cluster.events('second')).toEqual([`FailedScheduling: ${NO_DONGLE}`])
  expect(cluster.scheduler.counts()).toMatchObject({ unschedulable: 1, active: 0, backoff: 0, inFlight: 0 })

  await cluster.createNode('node-b', { [DONGLE]: '2' })
  await cluster.clock.advance(100)
  expect((await cluster.pod('second')).spec.nodeName).toBe('node-b')
})

test('writes nothing when a retry ends with the same reason', async () => {
  await using cluster = await startTestCluster()
  await cluster.createNode('node-a', { [DONGLE]: '1' })
  await cluster.createPod('big', { requests: { [DONGLE]: '2' } })
  await cluster.clock.advance(1_000)
  const before = (await cluster.pod('big')).metadata.resourceVersion
  await cluster.clock.advance(6 * 60_000)
  expect((await cluster.pod('big')).metadata.resourceVersion).toBe(before)
})

test('requeues a pending pod when a bound pod is deleted', async () => {
  await using cluster = await startTestCluster()
  await cluster.createNode('node-a', { [DONGLE]: '1' })
  await cluster.createPod('holder', { requests: { [DONGLE]: '1' } })
  await cluster.settle()
  await cluster.createPod('waiter', { requests: { [DONGLE]: '1' } })
  await cluster.settle()
  expect((await cluster.pod('waiter')).spec.nodeName).toBeUndefined()
  await cluster.deletePod('holder')
  await cluster.clock.advance(100)
  expect((await cluster.pod('waiter')).spec.nodeName).toBe('node-a')
})

test('does not requeue a pod that was rejected for its resources when a node label changes', async () => {
  await using cluster = await startTestCluster()
  await cluster.createNode('node-a', {})
  await cluster.createPod('waiter', { requests: { [DONGLE]: '1' } })
  await cluster.settle()
  await cluster.admin.client.patch(
    resourceRefs.nodes,
    { name: 'node-a' },
    { metadata: { labels: { a: 'b' } } },
    { type: 'merge' },
  )
  await cluster.settle()
  expect(cluster.scheduler.counts().unschedulable).toBe(1)
})

test('schedules the pod of higher priority first when room is short', async () => {
  await using cluster = await startTestCluster()
  const order: string[] = []
  cluster.view.subscribe((change) => {
    if (
      change.kind === 'pod-updated' &&
      change.pod.spec.nodeName !== undefined &&
      change.old?.spec.nodeName === undefined
    ) {
      order.push(change.pod.metadata.name ?? '')
    }
  })
  await cluster.createPriorityClass('middle', 5)
  await cluster.createPriorityClass('high', 100)
  await cluster.createPod('low', { requests: { [DONGLE]: '1' } })
  await cluster.createPod('middle', { requests: { [DONGLE]: '1' }, priorityClassName: 'middle' })
  await cluster.createPod('high', { requests: { [DONGLE]: '1' }, priorityClassName: 'high' })
  await cluster.settle()
  await cluster.createNode('node-a', { [DONGLE]: '2' })
  await cluster.clock.advance(12_000)
  expect(order).toEqual(['high', 'middle'])
  expect((await cluster.pod('low')).spec.nodeName).toBeUndefined()
})

test('keeps a gated pod until its last gate is removed', async () => {
  await using cluster = await startTestCluster()
  await cluster.createNode('node-a', {})
  await cluster.createPod('gated', { spec: { schedulingGates: [{ name: 'example.com/quota' }] } })
  await cluster.clock.advance(60_000)
  expect(cluster.scheduler.counts().gated).toBe(1)
  await cluster.admin.client.modify<Pod>(resourceRefs.pods, { namespace: 'default', name: 'gated' }, (pod) => ({
    ...pod,
    spec: { ...pod.spec, schedulingGates: [] },
  }))
  await cluster.settle()
  expect((await cluster.pod('gated')).spec.nodeName).toBe('node-a')
})

test('refuses a pod with a constraint that is not implemented, and names the constraint', async () => {
  await using cluster = await startTestCluster()
  await cluster.createNode('node-a', {})
  await cluster.createPod('claims', { spec: { resourceClaims: [{ name: 'gpu', resourceClaimName: 'gpu' }] } })
  await cluster.clock.advance(1_000)
  expect((await cluster.pod('claims')).spec.nodeName).toBeUndefined()
  expect(await cluster.events('claims')).toEqual([
    expect.stringMatching(
      /^FailedScheduling: the pod uses features that this scheduler does not implement: spec\.resourceClaims/,
    ),
  ])
})

test('leaves a pod with resource claims pending, and its event and condition name the field and what to do', async () => {
  await using cluster = await startTestCluster()
  await cluster.createNode('node-a', {})
  await cluster.createPod('worker', { spec: { resourceClaims: [{ name: 'gpu', resourceClaimName: 'gpu' }] } })
  await cluster.clock.advance(1_000)
  const { spec, status } = await cluster.pod('worker')
  expect(spec.nodeName).toBeUndefined()
  const message =
    'the pod uses features that this scheduler does not implement: spec.resourceClaims: dynamic resource ' +
    'allocation is not implemented (recreate the pod without this field, or with the schedulerName of a scheduler that implements it)'
  expect(await cluster.events('worker')).toEqual([`FailedScheduling: ${message}`])
  expect(status?.conditions).toEqual([
    expect.objectContaining({ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }),
  ])
})

test('ignores the pods of other schedulers', async () => {
  await using cluster = await startTestCluster()
  await cluster.createNode('node-a', {})
  await cluster.createPod('foreign', { schedulerName: 'default-scheduler' })
  await cluster.clock.advance(1_000)
  expect((await cluster.pod('foreign')).spec.nodeName).toBeUndefined()
  expect(await cluster.events('foreign')).toEqual([])
})

test('scores the pods of two profiles in one process by their own plugins', async () => {
  await using cluster = await startTestCluster({
    config: `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
  - schedulerName: spread
  - schedulerName: pack
    pluginConfig:
      - name: NodeResourcesFit
        args: { scoringStrategy: { type: MostAllocated, resources: [{ name: ${DONGLE} }] } }
    plugins:
      score: { disabled: [{ name: '*' }], enabled: [{ name: NodeResourcesFit }] }
`,
  })
  await cluster.createNode('node-a', { [DONGLE]: '8' })
  await cluster.createNode('node-b', { [DONGLE]: '8' })
  await cluster.createPod('seed', { requests: { [DONGLE]: '2', cpu: '32' }, schedulerName: 'pack' })
  await cluster.settle()
  const packed = (await cluster.pod('seed')).spec.nodeName
  await cluster.createPod('packed', { requests: { [DONGLE]: '1' }, schedulerName: 'pack' })
  await cluster.createPod('spread', { requests: { [DONGLE]: '1' }, schedulerName: 'spread' })
  await cluster.settle()
  expect((await cluster.pod('packed')).spec.nodeName).toBe(packed)
  expect((await cluster.pod('spread')).spec.nodeName).not.toBe(packed)
})

test('reports events under the name of the profile: bound, refused and preempted', async () => {
  await using cluster = await startTestCluster({
    config: `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{ schedulerName: berth-scheduler }, { schedulerName: second }]
`,
  })
  await cluster.createNode('node-a', { [DONGLE]: '1' })
  await cluster.createPriorityClass('high', 1_000)
  const requests = { [DONGLE]: '1' }
  await cluster.createPod('holder', { requests, schedulerName: 'second' })
  await cluster.clock.advance(1_000)
  await cluster.createPod('ordinary', { requests })
  await cluster.clock.advance(1_000)
  await cluster.createPod('urgent', { requests, schedulerName: 'second', priorityClassName: 'high' })
  await cluster.clock.advance(1_000)
  expect(await cluster.events('holder')).toEqual([
    expect.stringMatching(/^Scheduled:/),
    expect.stringMatching(/^Preempted:/),
  ])
  expect(await cluster.reporters('holder')).toEqual(['second', 'second'])
  expect(await cluster.reporters('ordinary')).toEqual(['berth-scheduler'])
  expect(await cluster.reporters('urgent')).toEqual(['second'])
})

test('never over-commits a node in a burst of 200 pods', async () => {
  await using cluster = await startTestCluster()
  for (const name of ['node-a', 'node-b', 'node-c']) await cluster.createNode(name, { [DONGLE]: '50' })
  const names = Array.from({ length: 200 }, (_, i) => `pod-${i}`)
  await Promise.all(names.map((name) => cluster.createPod(name, { requests: { [DONGLE]: '1' } })))
  await cluster.clock.advance(2_000)
  const pods = await Promise.all(names.map((name) => cluster.pod(name)))
  const held = new Map<string, number>()
  for (const { spec } of pods) held.set(spec.nodeName ?? '', (held.get(spec.nodeName ?? '') ?? 0) + 1)
  expect(Object.fromEntries(held)).toEqual({ 'node-a': 50, 'node-b': 50, 'node-c': 50, '': 50 })
  expect(cluster.scheduler.counts()).toEqual({ active: 0, backoff: 0, unschedulable: 50, gated: 0, inFlight: 0 })
})

test('forgets a pending pod that is deleted', async () => {
  await using cluster = await startTestCluster()
  await cluster.createPod('short-lived', { requests: { [DONGLE]: '1' } })
  await cluster.settle()
  await cluster.deletePod('short-lived')
  await cluster.settle()
  expect(cluster.scheduler.counts()).toEqual({ active: 0, backoff: 0, unschedulable: 0, gated: 0, inFlight: 0 })
})

test('places a pod on the node that it is nominated for, regardless of scores', async () => {
  await using cluster = await startTestCluster()
  for (const name of ['node-a', 'node-b', 'node-c']) await cluster.createNode(name, {})
  await cluster.createPod('hinted', { spec: { schedulingGates: [{ name: 'example.com/later' }] } })
  const target = { namespace: 'default', name: 'hinted' }
  const status = { nominatedNodeName: 'node-c' }
  await cluster.admin.client.patch(resourceRefs.pods, target, { status }, { type: 'merge', subresource: 'status' })
  await cluster.admin.client.modify<Pod>(resourceRefs.pods, target, (pod) => ({
    ...pod,
    spec: { ...pod.spec, schedulingGates: [] },
  }))
  await cluster.settle()
  expect((await cluster.pod('hinted')).spec.nodeName).toBe('node-c')
})
