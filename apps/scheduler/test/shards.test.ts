import { readFileSync } from 'node:fs'
import { resourceRefs } from '@berth/k8s-client'
import type { Lease } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { loadSettings } from '../src/config/settings.ts'
import { startTestCluster, type TestCluster } from './test-cluster.ts'

const page = readFileSync(new URL('../../../docs/scale.md', import.meta.url), 'utf8')
/** The configurations of the page that name this test. */
const testedBy = /<!-- tested by: apps\/scheduler\/test\/shards\.test\.ts -->\n```yaml\n([\s\S]*?)```/g
const configs = [...page.matchAll(testedBy)].map(([, text = '']) => text)
const DONGLE = 'example.com/dongle'
const one = { [DONGLE]: '1' }

/** Starts a replica of a shard, which schedules while it holds the Lease of its configuration. */
async function startShard(config: string, joins?: TestCluster): Promise<TestCluster> {
  const settings = loadSettings({ argv: ['--config', 'shard.yaml'], env: {}, readFile: () => config })
  if (settings.kind === 'exit') throw new Error(settings.text)
  const cluster = await startTestCluster({ config, lease: settings.lease, ...(joins && { joins }) })
  const { namespace } = settings.lease
  if (joins === undefined) await cluster.admin.client.create(resourceRefs.namespaces, { metadata: { name: namespace } })
  return cluster
}

describe('the shards of docs/scale.md', () => {
  const [east = '', west = ''] = configs

  test('place their pods on their own nodes, each with a leader of its own', async () => {
    expect(configs).toHaveLength(2)
    await using first = await startShard(east)
    await using _second = await startShard(west, first)
    for (const shard of ['east', 'west'])
      for (const i of [0, 1])
        await first.createNode(`${shard}-${i}`, { [DONGLE]: '2' }, { labels: { 'example.com/shard': shard } })
    for (const shard of ['east', 'west'])
      for (let i = 0; i < 4; i++)
        await first.createPod(`${shard}-pod-${i}`, { schedulerName: `scheduler-${shard}`, requests: one })
    await first.clock.advance(10_000)
    for (const shard of ['east', 'west'])
      for (let i = 0; i < 4; i++)
        expect((await first.pod(`${shard}-pod-${i}`)).spec.nodeName).toMatch(new RegExp(`^${shard}-[01]$`))
    const holders = ['scheduler-east', 'scheduler-west'].map(
      async (name) =>
        (await first.admin.client.get<Lease>(resourceRefs.leases, { namespace: 'berth-system', name })).spec
          ?.holderIdentity,
    )
    const [eastHolder, westHolder] = await Promise.all(holders)
    expect(eastHolder).toEqual(expect.any(String))
    expect(westHolder).not.toBe(eastHolder)
  })

  test('leave a pod pending whose own shard is full', async () => {
    await using first = await startShard(east)
    await using _second = await startShard(west, first)
    await first.createNode('west-0', { [DONGLE]: '1' }, { labels: { 'example.com/shard': 'west' } })
    await first.createPod('waiting', { schedulerName: 'scheduler-east', requests: one })
    await first.clock.advance(10_000)
    expect((await first.pod('waiting')).spec.nodeName).toBeUndefined()
    expect(await first.events('waiting')).toEqual([
      expect.stringContaining("1 node(s) didn't match scheduler-enforced node affinity"),
    ])
  })

  test('go on with another replica when their leader ends, while the other shard keeps its own', async () => {
    await using second = await startShard(west)
    const leader = await startShard(east, second)
    await using _standby = await startShard(east, second)
    await second.createNode('east-0', { [DONGLE]: '2' }, { labels: { 'example.com/shard': 'east' } })
    await second.createNode('west-0', { [DONGLE]: '1' }, { labels: { 'example.com/shard': 'west' } })
    await second.createPod('before', { schedulerName: 'scheduler-east', requests: one })
    await second.clock.advance(10_000)
    expect(await second.events('before')).toHaveLength(1)
    await leader[Symbol.asyncDispose]()
    await second.createPod('after', { schedulerName: 'scheduler-east', requests: one })
    await second.createPod('other', { schedulerName: 'scheduler-west', requests: one })
    await second.clock.advance(20_000)
    expect((await second.pod('after')).spec.nodeName).toBe('east-0')
    expect((await second.pod('other')).spec.nodeName).toBe('west-0')
  })
})
