import { resourceRefs } from '@berth/k8s-client'
import type { SchedulingPlugin } from '@berth/plugin-api'
import { StatusCode } from '@berth/types'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { hungConditionType } from '../src/watchdog/hung-condition.ts'
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
const sorting = `
profiles:
  - schedulerName: berth-scheduler
    plugins:
      queueSort: { disabled: [{ name: '*' }], enabled: [{ name: probe }] }
      multiPoint: { enabled: [{ name: probe }] }
`

test('preEnqueue plugins run in the order of their extension point', async () => {
  const asked: string[] = []
  const plugins = ['first', 'second', 'third'].map((name) => ({
    ...plugin({ preEnqueue: () => void asked.push(name) }),
    name,
  }))
  const ordered = `
profiles:
  - schedulerName: berth-scheduler
    plugins:
      preEnqueue: { enabled: [{ name: third }, { name: first }] }
      multiPoint: { enabled: [{ name: first }, { name: second }, { name: third }] }
`
  await using cluster = await startTestCluster({ config: ordered, plugins })
  await cluster.createPod('web')
  await cluster.settle()
  expect(asked.slice(0, 3)).toEqual(['third', 'first', 'second'])
})

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

test('preEnqueue runs again for a pod that it holds back after five minutes, and after an update of the pod', async () => {
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

test('calls preEnqueue and queueSort only once it leads, for pods that changed before, too', async () => {
  const asked: string[] = []
  const probe = plugin({
    preEnqueue: (pod) => {
      asked.push(`preEnqueue ${pod.metadata.name}`)
      return undefined
    },
    queueSort: (a, b) => {
      asked.push('queueSort')
      return a.queuedAtMs - b.queuedAtMs
    },
  })
  const election = Promise.withResolvers<void>()
  await using cluster = await startTestCluster({ config: sorting, plugins: [probe], startAfter: election.promise })
  await cluster.createNode('node-a', {})
  for (const name of ['web', 'deleted', 'db']) await cluster.createPod(name)
  await cluster.settle()
  await cluster.deletePod('deleted')
  await cluster.settle()
  const askedBefore = [...asked]
  election.resolve()
  await cluster.clock.advance(2_000)
  expect(askedBefore).toEqual([])
  expect(new Set(asked)).toEqual(new Set(['preEnqueue web', 'preEnqueue db', 'queueSort']))
  for (const name of ['web', 'db']) expect((await cluster.pod(name)).spec.nodeName).toBe('node-a')
})

test('does not call queueSort for a pod for which it did not return, and schedules the others first', async () => {
  const sorted: (string | undefined)[] = []
  const probe = plugin({
    queueSort: (a, b) => {
      sorted.push(a.pod.metadata.name, b.pod.metadata.name)
      return a.queuedAtMs - b.queuedAtMs
    },
  })
  const election = Promise.withResolvers<void>()
  await using cluster = await startTestCluster({ config: sorting, plugins: [probe], startAfter: election.promise })
  await cluster.createNode('node-a', {})
  for (const name of ['bad', 'worse', 'web', 'db']) await cluster.createPod(name)
  const status = { conditions: [{ type: hungConditionType('probe'), status: 'True', reason: 'PluginHung' }] }
  for (const name of ['bad', 'worse']) {
    const target = { namespace: 'default', name }
    await cluster.admin.client.patch(
      resourceRefs.pods,
      target,
      { status },
      { type: 'strategic', subresource: 'status' },
    )
  }
  await cluster.settle()
  election.resolve()
  await cluster.clock.advance(2_000)
  expect(new Set(sorted)).toEqual(new Set(['web', 'db']))
  expect((await cluster.pod('db')).spec.nodeName).toBe('node-a')
  for (const name of ['bad', 'worse']) {
    expect(await cluster.events(name)).toEqual([expect.stringContaining('plugin probe did not return for this pod')])
  }
})
