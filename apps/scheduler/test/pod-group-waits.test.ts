import type { BerthPlugin, SchedulingHooks } from '@berth/plugin-api'
import { StatusCode } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  boundPods,
  createGang,
  createMembers,
  DONGLE,
  memberOf,
  NATIVE,
  one,
  startWithGroups,
} from './pod-group-cluster.ts'
import type { TestCluster } from './test-cluster.ts'

function slowPlugin(hooks: SchedulingHooks): BerthPlugin {
  return {
    kind: 'scheduling',
    apiVersion: 'berth.dev/v1',
    name: 'slow',
    description: 'A test.',
    argsSchema: z.strictObject({}),
    create: () => hooks,
  }
}

/** A plugin that delays members for longer than their group waits. */
function permitPlugin(delays: (name: string) => boolean): BerthPlugin {
  return slowPlugin({
    permit: (pod) => (delays(pod.metadata.name ?? '') ? { kind: 'wait', timeoutMs: 800_000 } : undefined),
  })
}
const slowConfig = `
profiles: [{ schedulerName: berth-scheduler, plugins: { multiPoint: { enabled: [{ name: slow }] } } }]
`

/** Starts a cluster with this plugin and a gang of two members, for which there is just enough room. */
async function startGang(plugin: BerthPlugin): Promise<TestCluster> {
  const cluster = await startWithGroups({ config: slowConfig, plugins: [plugin] })
  await cluster.createNode('node-a', { [DONGLE]: '2' })
  await createGang(cluster, NATIVE, 'train', 2)
  await createMembers(cluster, 'train', 2)
  return cluster
}

describe('members that wait for their group', () => {
  test('all give their room back after the timeout, and are retried', async () => {
    let isSlow = true
    const slow = permitPlugin((name) => isSlow && name === 'train-1')
    await using cluster = await startGang(slow)
    await cluster.settle()
    expect(await boundPods(cluster)).toEqual([])
    expect(cluster.scheduler.waitingPods.list().map(({ pod }) => pod.metadata.name)).toEqual(['train-1', 'train-0'])
    isSlow = false
    await cluster.clock.advance(299_000)
    expect(await boundPods(cluster)).toEqual([])
    await cluster.clock.advance(1_000)
    const text = 'pod group default/train: fewer than 2 members could be bound within 300 s'
    expect(await cluster.events('train-0')).toContain(`FailedScheduling: ${text}`)
    expect(await cluster.events('train-1')).toContain(`FailedScheduling: ${text}`)
    await cluster.clock.advance(12_000)
    expect(await boundPods(cluster)).toHaveLength(2)
  })

  test('return when one of them is deleted, and take room when it is replaced', async () => {
    let isSlow = true
    const slow = permitPlugin((name) => isSlow && name === 'train-1')
    await using cluster = await startGang(slow)
    await cluster.settle()
    isSlow = false
    await cluster.deletePod('train-1')
    await cluster.clock.advance(12_000)
    expect(cluster.scheduler.waitingPods.size).toBe(0)
    expect(await boundPods(cluster)).toEqual([])
    await cluster.createPod('single', { requests: one })
    await cluster.settle()
    await cluster.deletePod('single')
    await createMembers(cluster, 'train', 1, { from: 2 })
    await cluster.clock.advance(12_000)
    expect(await boundPods(cluster)).toEqual(['train-0 on node-a', 'train-2 on node-a'])
  })

  test('run preBind only when all of them have gathered', async () => {
    const calls: string[] = []
    let isSlow = true
    const slow = slowPlugin({
      permit: (pod) => (isSlow && pod.metadata.name === 'train-1' ? { kind: 'wait', timeoutMs: 60_000 } : undefined),
      preBind: (pod) => void calls.push(pod.metadata.name ?? ''),
    })
    await using cluster = await startGang(slow)
    await cluster.settle()
    expect(cluster.scheduler.waitingPods.size).toBe(2)
    expect(calls).toEqual([])
    // The plugin does not allow the member in time, so the other member must not have run preBind.
    isSlow = false
    await cluster.clock.advance(60_000)
    expect(calls).toEqual([])
    await cluster.clock.advance(12_000)
    expect(calls.toSorted()).toEqual(['train-0', 'train-1'])
    expect(await boundPods(cluster)).toHaveLength(2)
  })

  test('start at once when another scheduler binds the member that they wait for', async () => {
    await using cluster = await startGang(permitPlugin((name) => name === 'train-1'))
    await cluster.settle()
    expect(await boundPods(cluster)).toEqual([])
    await cluster.admin.client.bind(await cluster.pod('train-1'), 'node-a')
    await cluster.settle()
    expect(await boundPods(cluster)).toEqual(['train-0 on node-a', 'train-1 on node-a'])
  })

  test('return at once when a bound member ends', async () => {
    await using cluster = await startWithGroups({
      config: slowConfig,
      plugins: [permitPlugin((name) => name === 'train-2')],
    })
    await cluster.createNode('node-a', { [DONGLE]: '3' })
    await createGang(cluster, NATIVE, 'train', 3)
    await cluster.createPod('train-0', { requests: one, schedulerName: 'other', spec: memberOf('train') })
    await cluster.admin.client.bind(await cluster.pod('train-0'), 'node-a')
    await createMembers(cluster, 'train', 2, { from: 1 })
    await cluster.settle()
    expect(cluster.scheduler.waitingPods.size).toBe(2)
    await cluster.deletePod('train-0')
    await cluster.settle()
    expect(cluster.scheduler.waitingPods.size).toBe(0)
    expect(cluster.view.stats()).toMatchObject({ assumed: 0 })
  })

  test('return at once when one of them is deleted while its reserve hook runs', async () => {
    const slow = slowPlugin({
      reserve: (pod) => (pod.metadata.name === 'train-1' ? new Promise<undefined>(() => {}) : undefined),
    })
    await using cluster = await startGang(slow)
    await cluster.settle()
    expect(cluster.scheduler.waitingPods.list().map(({ pod }) => pod.metadata.name)).toEqual(['train-0'])
    await cluster.deletePod('train-1')
    await cluster.settle()
    expect(cluster.scheduler.waitingPods.size).toBe(0)
    expect(cluster.scheduler.counts()).toMatchObject({ gated: 1 })
  })

  test('are replaced when one of them is deleted while its preBind hook runs', async () => {
    const preBind = Promise.withResolvers<undefined>()
    const slow = slowPlugin({ preBind: (pod) => (pod.metadata.name === 'train-1' ? preBind.promise : undefined) })
    await using cluster = await startGang(slow)
    await cluster.settle()
    expect(await boundPods(cluster)).toEqual(['train-0 on node-a'])
    await cluster.deletePod('train-1')
    await cluster.settle()
    preBind.resolve(undefined)
    await cluster.settle()
    expect(cluster.scheduler.waitingPods.size).toBe(0)
    expect(cluster.view.stats()).toMatchObject({ assumed: 0 })
    await createMembers(cluster, 'train', 1, { from: 2 })
    await cluster.clock.advance(12_000)
    expect(await boundPods(cluster)).toEqual(['train-0 on node-a', 'train-2 on node-a'])
  })

  test('return when a plugin rejects one of them', async () => {
    let isRejecting = true
    const slow = slowPlugin({
      reserve: (pod) =>
        isRejecting && pod.metadata.name === 'train-1'
          ? { kind: 'reject', code: StatusCode.Unschedulable, reasons: ['no licence'] }
          : undefined,
    })
    await using cluster = await startGang(slow)
    await cluster.clock.advance(3_000)
    expect(await boundPods(cluster)).toEqual([])
    isRejecting = false
    await cluster.clock.advance(20_000)
    expect(await boundPods(cluster)).toHaveLength(2)
  })
})
