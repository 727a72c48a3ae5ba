import { resourceRefs } from '@berth/k8s-client'
import type { Pod } from '@berth/types'
import { expect, test } from 'vitest'
import { startLab } from './lab.ts'

const DONGLE = 'example.com/dongle'
const NO_DONGLE =
  '0/1 nodes are available: 1 Insufficient example.com/dongle. ' +
  'preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.'

test('binds a pod to the node that has what it asks for, and says so', async () => {
  await using lab = await startLab()
  await lab.createNode('without', {})
  await lab.createNode('with', { [DONGLE]: '4' })
  await lab.createPod('web', { requests: { [DONGLE]: '1' } })
  await lab.settle()
  const pod = await lab.pod('web')
  expect(pod.spec.nodeName).toBe('with')
  expect(pod.status?.conditions?.find(({ type }) => type === 'PodScheduled')?.status).toBe('True')
  await lab.clock.advance(1_000)
  expect(await lab.events('web')).toEqual(['Scheduled: Successfully assigned default/web to with'])
})

test('leaves a pod pending with the reason, and binds it when capacity appears', async () => {
  await using lab = await startLab()
  await lab.createNode('node-a', { [DONGLE]: '4' })
  await lab.createPod('first', { requests: { [DONGLE]: '3' } })
  await lab.settle()
  await lab.createPod('second', { requests: { [DONGLE]: '2' } })
  await lab.clock.advance(1_000)

  const waiting = await lab.pod('second')
  expect(waiting.spec.nodeName).toBeUndefined()
  expect(waiting.status?.conditions).toMatchObject([
    {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message: NO_DONGLE,
    },
  ])
  expect(await lab.events('second')).toEqual([`FailedScheduling: ${NO_DONGLE}`])
  expect(lab.scheduler.counts()).toMatchObject({ unschedulable: 1, active: 0, backoff: 0, inFlight: 0 })

  await lab.createNode('node-b', { [DONGLE]: '2' })
  await lab.clock.advance(100)
  expect((await lab.pod('second')).spec.nodeName).toBe('node-b')
})

test('writes nothing again when a retry finds the same reason', async () => {
  await using lab = await startLab()
  await lab.createNode('node-a', { [DONGLE]: '1' })
  await lab.createPod('big', { requests: { [DONGLE]: '2' } })
  await lab.clock.advance(1_000)
  const before = (await lab.pod('big')).metadata.resourceVersion
  await lab.clock.advance(6 * 60_000)
  expect((await lab.pod('big')).metadata.resourceVersion).toBe(before)
})

test('a deleted pod wakes the one that waits for its room', async () => {
  await using lab = await startLab()
  await lab.createNode('node-a', { [DONGLE]: '1' })
  await lab.createPod('holder', { requests: { [DONGLE]: '1' } })
  await lab.settle()
  await lab.createPod('waiter', { requests: { [DONGLE]: '1' } })
  await lab.settle()
  expect((await lab.pod('waiter')).spec.nodeName).toBeUndefined()
  await lab.deletePod('holder')
  await lab.clock.advance(100)
  expect((await lab.pod('waiter')).spec.nodeName).toBe('node-a')
})

test('a label on a node wakes no pod that was turned away for its resources', async () => {
  await using lab = await startLab()
  await lab.createNode('node-a', {})
  await lab.createPod('waiter', { requests: { [DONGLE]: '1' } })
  await lab.settle()
  await lab.admin.client.patch(
    resourceRefs.nodes,
    { name: 'node-a' },
    { metadata: { labels: { a: 'b' } } },
    { type: 'merge' },
  )
  await lab.settle()
  expect(lab.scheduler.counts().unschedulable).toBe(1)
})

test('schedules higher priority first when room is short', async () => {
  await using lab = await startLab()
  const order: string[] = []
  lab.view.subscribe((change) => {
    if (
      change.kind === 'pod-updated' &&
      change.pod.spec.nodeName !== undefined &&
      change.old?.spec.nodeName === undefined
    ) {
      order.push(change.pod.metadata.name ?? '')
    }
  })
  await lab.createPriorityClass('middle', 5)
  await lab.createPriorityClass('high', 100)
  await lab.createPod('low', { requests: { [DONGLE]: '1' } })
  await lab.createPod('middle', { requests: { [DONGLE]: '1' }, priorityClassName: 'middle' })
  await lab.createPod('high', { requests: { [DONGLE]: '1' }, priorityClassName: 'high' })
  await lab.settle()
  await lab.createNode('node-a', { [DONGLE]: '2' })
  await lab.clock.advance(12_000)
  expect(order).toEqual(['high', 'middle'])
  expect((await lab.pod('low')).spec.nodeName).toBeUndefined()
})

test('a gated pod waits until its last gate is gone', async () => {
  await using lab = await startLab()
  await lab.createNode('node-a', {})
  await lab.createPod('gated', { spec: { schedulingGates: [{ name: 'example.com/quota' }] } })
  await lab.clock.advance(60_000)
  expect(lab.scheduler.counts().gated).toBe(1)
  await lab.admin.client.modify<Pod>(resourceRefs.pods, { namespace: 'default', name: 'gated' }, (pod) => ({
    ...pod,
    spec: { ...pod.spec, schedulingGates: [] },
  }))
  await lab.settle()
  expect((await lab.pod('gated')).spec.nodeName).toBe('node-a')
})

test('refuses a pod whose constraint it does not implement, and names it', async () => {
  await using lab = await startLab()
  await lab.createNode('node-a', {})
  await lab.createPod('claims', { spec: { resourceClaims: [{ name: 'gpu', resourceClaimName: 'gpu' }] } })
  await lab.clock.advance(1_000)
  expect((await lab.pod('claims')).spec.nodeName).toBeUndefined()
  expect(await lab.events('claims')).toEqual([
    expect.stringMatching(
      /^FailedScheduling: the pod uses features that this scheduler does not implement: spec\.resourceClaims/,
    ),
  ])
})

test('leaves the pods of other schedulers alone', async () => {
  await using lab = await startLab()
  await lab.createNode('node-a', {})
  await lab.createPod('foreign', { schedulerName: 'default-scheduler' })
  await lab.clock.advance(1_000)
  expect((await lab.pod('foreign')).spec.nodeName).toBeUndefined()
  expect(await lab.events('foreign')).toEqual([])
})

test('two profiles of one process place their own pods by their own scores', async () => {
  await using lab = await startLab({
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
  await lab.createNode('node-a', { [DONGLE]: '8' })
  await lab.createNode('node-b', { [DONGLE]: '8' })
  await lab.createPod('seed', { requests: { [DONGLE]: '2', cpu: '32' }, schedulerName: 'pack' })
  await lab.settle()
  const packed = (await lab.pod('seed')).spec.nodeName
  await lab.createPod('packed', { requests: { [DONGLE]: '1' }, schedulerName: 'pack' })
  await lab.createPod('spread', { requests: { [DONGLE]: '1' }, schedulerName: 'spread' })
  await lab.settle()
  expect((await lab.pod('packed')).spec.nodeName).toBe(packed)
  expect((await lab.pod('spread')).spec.nodeName).not.toBe(packed)
})

test('events are reported in the name of the profile: bound, refused and preempted', async () => {
  await using lab = await startLab({
    config: `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{ schedulerName: berth-scheduler }, { schedulerName: second }]
`,
  })
  await lab.createNode('node-a', { [DONGLE]: '1' })
  await lab.createPriorityClass('high', 1_000)
  const requests = { [DONGLE]: '1' }
  await lab.createPod('holder', { requests, schedulerName: 'second' })
  await lab.clock.advance(1_000)
  await lab.createPod('ordinary', { requests })
  await lab.clock.advance(1_000)
  await lab.createPod('urgent', { requests, schedulerName: 'second', priorityClassName: 'high' })
  await lab.clock.advance(1_000)
  expect(await lab.events('holder')).toEqual([
    expect.stringMatching(/^Scheduled:/),
    expect.stringMatching(/^Preempted:/),
  ])
  expect(await lab.reporters('holder')).toEqual(['second', 'second'])
  expect(await lab.reporters('ordinary')).toEqual(['berth-scheduler'])
  expect(await lab.reporters('urgent')).toEqual(['second'])
})

test('never hands out more than there is in a burst of 200 pods', async () => {
  await using lab = await startLab()
  for (const name of ['node-a', 'node-b', 'node-c']) await lab.createNode(name, { [DONGLE]: '50' })
  const names = Array.from({ length: 200 }, (_, i) => `pod-${i}`)
  await Promise.all(names.map((name) => lab.createPod(name, { requests: { [DONGLE]: '1' } })))
  await lab.clock.advance(2_000)
  const pods = await Promise.all(names.map((name) => lab.pod(name)))
  const held = new Map<string, number>()
  for (const { spec } of pods) held.set(spec.nodeName ?? '', (held.get(spec.nodeName ?? '') ?? 0) + 1)
  expect(Object.fromEntries(held)).toEqual({ 'node-a': 50, 'node-b': 50, 'node-c': 50, '': 50 })
  expect(lab.scheduler.counts()).toEqual({ active: 0, backoff: 0, unschedulable: 50, gated: 0, inFlight: 0 })
})

test('a pod that was deleted while it waited is forgotten', async () => {
  await using lab = await startLab()
  await lab.createPod('short-lived', { requests: { [DONGLE]: '1' } })
  await lab.settle()
  await lab.deletePod('short-lived')
  await lab.settle()
  expect(lab.scheduler.counts()).toEqual({ active: 0, backoff: 0, unschedulable: 0, gated: 0, inFlight: 0 })
})

test('a pod goes to the node that it is nominated for, whatever the scores say', async () => {
  await using lab = await startLab()
  for (const name of ['node-a', 'node-b', 'node-c']) await lab.createNode(name, {})
  await lab.createPod('hinted', { spec: { schedulingGates: [{ name: 'example.com/later' }] } })
  const target = { namespace: 'default', name: 'hinted' }
  const status = { nominatedNodeName: 'node-c' }
  await lab.admin.client.patch(resourceRefs.pods, target, { status }, { type: 'merge', subresource: 'status' })
  await lab.admin.client.modify<Pod>(resourceRefs.pods, target, (pod) => ({
    ...pod,
    spec: { ...pod.spec, schedulingGates: [] },
  }))
  await lab.settle()
  expect((await lab.pod('hinted')).spec.nodeName).toBe('node-c')
})
