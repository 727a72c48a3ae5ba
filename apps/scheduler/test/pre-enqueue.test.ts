import type { SchedulingPlugin } from '@berth/plugin-api'
import { StatusCode } from '@berth/types'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { startTestCluster } from './test-cluster.ts'

function plugin(hooks: ReturnType<SchedulingPlugin['create']>): SchedulingPlugin {
  const argsSchema = z.strictObject({})
  return {
    kind: 'scheduling',
    apiVersion: 'berth.dev/v1',
    name: 'probe',
    description: 'A test.',
    argsSchema,
    create: () => hooks,
  }
}
const config = 'profiles: [{ schedulerName: berth-scheduler, plugins: { multiPoint: { enabled: [{ name: probe }] } } }]'

test('a pod that preEnqueue holds back is not attempted until an event that helps it', async () => {
  let isOpen = false
  const asked: string[] = []
  const probe = plugin({
    preEnqueue: (pod) => {
      asked.push(pod.metadata.name ?? '')
      return isOpen ? undefined : { kind: 'reject', reasons: ['closed'] }
    },
    queueingHint: (_pod, event) => event.kind === 'node-added' && event.node.metadata.name === 'opener',
  })
  await using cluster = await startTestCluster({ config, plugins: [probe] })
  await cluster.createNode('node-a', {})
  await cluster.createPod('web')
  await cluster.settle()
  expect((await cluster.pod('web')).spec.nodeName).toBeUndefined()
  expect(cluster.scheduler.counts()).toMatchObject({ gated: 1, active: 0 })
  expect(await cluster.events('web')).toEqual([])

  isOpen = true
  asked.length = 0
  await cluster.createNode('node-b', {})
  await cluster.settle()
  expect(asked).toEqual([])
  await cluster.createNode('opener', {})
  await cluster.settle()
  expect((await cluster.pod('web')).spec.nodeName).toBeDefined()
})

test('a pod that preEnqueue holds back is asked about again after five minutes, and after its own update', async () => {
  let isOpen = false
  const closed = { kind: 'reject', reasons: ['closed'] } as const
  const probe = plugin({ preEnqueue: () => (isOpen ? undefined : closed), queueingHint: () => false })
  await using cluster = await startTestCluster({ config, plugins: [probe] })
  await cluster.createNode('node-a', {})
  await cluster.createPod('web')
  await cluster.settle()
  isOpen = true
  await cluster.clock.advance(200_000)
  expect((await cluster.pod('web')).spec.nodeName).toBeUndefined()
  await cluster.clock.advance(200_000)
  await cluster.settle()
  expect((await cluster.pod('web')).spec.nodeName).toBe('node-a')
})

test('a preEnqueue plugin that fails holds its pods back', async () => {
  const probe = plugin({
    preEnqueue: () => {
      throw new Error('boom')
    },
  })
  await using cluster = await startTestCluster({ config, plugins: [probe] })
  await cluster.createNode('node-a', {})
  await cluster.createPod('web')
  await cluster.settle()
  expect((await cluster.pod('web')).spec.nodeName).toBeUndefined()
})

test('a queueing hint decides which events requeue the pods that a filter rejected', async () => {
  let attempts = 0
  const probe = plugin({
    filter: (_pod, candidates, output) => {
      attempts++
      for (let i = 0; i < candidates.count; i++) output.reject(i, StatusCode.Unschedulable, 'no')
    },
    queueingHint: (_pod, event) => event.kind === 'node-added' && event.node.metadata.name === 'node-c',
  })
  await using cluster = await startTestCluster({ config, plugins: [probe] })
  await cluster.createNode('node-a', {})
  await cluster.createPod('web')
  await cluster.settle()
  const first = attempts
  await cluster.createNode('node-b', {})
  await cluster.clock.advance(5_000)
  expect(attempts).toBe(first)
  await cluster.createNode('node-c', {})
  await cluster.clock.advance(5_000)
  expect(attempts).toBeGreaterThan(first)
})
