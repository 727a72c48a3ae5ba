import { resourceRefs } from '@berth/k8s-client'
import { defineResourceSource } from '@berth/plugin-api'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ALLOWED, DONGLE, objectCluster } from './object-cluster.ts'

/** A source that objects may use: it reads a label of the node. */
const nodeLabel = defineResourceSource({
  apiVersion: 'berth.dev/v1',
  name: 'node-label',
  description: 'Reads a label.',
  argsSchema: z.strictObject({ label: z.string() }),
  create: ({ label }, { clock }) => ({
    async compute({ metadata: { labels = {} } }) {
      return { units: Number(labels[label]), observedAtMs: clock.now() }
    },
  }),
})
/** A source that objects may not use. */
const command = defineResourceSource({
  apiVersion: 'berth.dev/v1',
  name: 'command',
  description: 'Must not run.',
  argsSchema: z.strictObject({ label: z.string() }),
  create: () => {
    throw new Error('an object created the source command')
  },
})
const labelled = (plugin: string, more: object = {}) => ({ source: { plugin, args: { label: 'dongles', ...more } } })

describe('an object with a source', () => {
  test('is computed for each node, and again when the label changes', async () => {
    await using cluster = await objectCluster([nodeLabel])
    const { base } = cluster
    await base.addNode('node-c', { labels: { dongles: '3' } })
    await cluster.create('dongles', { ...labelled('node-label'), nodes: { names: ['node-c'] } })
    await base.startWithObjects([])
    await base.clock.advance(5_000)
    const units = async () => (await base.node('node-c')).status?.capacity?.[DONGLE]
    expect([await units(), await cluster.conditions('dongles')]).toEqual(['3', ['Advertised AllNodes']])
    await base.admin.patch(
      resourceRefs.nodes,
      { name: 'node-c' },
      { metadata: { labels: { dongles: '5' } } },
      { type: 'merge' },
    )
    await base.clock.advance(35_000)
    expect(await units()).toBe('5')
  })

  test('has one status while its value is too old, however old it grows', async () => {
    const failing = defineResourceSource({
      ...nodeLabel,
      create: (_, { clock }) => ({
        async compute({ metadata: { labels = {} } }) {
          if (labels['dongles'] === undefined) throw new Error('no label')
          return { units: 3, observedAtMs: clock.now() }
        },
      }),
    })
    await using cluster = await objectCluster([failing])
    const { base } = cluster
    await base.addNode('node-c', { labels: { dongles: '3' } })
    await cluster.create('dongles', { ...labelled('node-label'), nodes: { names: ['node-c'] } })
    await base.startWithObjects([])
    await base.clock.advance(5_000)
    const metadata = { labels: { dongles: null } }
    await base.admin.patch(resourceRefs.nodes, { name: 'node-c' }, { metadata }, { type: 'merge' })
    await base.clock.advance(600_000)
    expect(await cluster.conditions('dongles')).toEqual(['Advertised=False SourceUnknown'])
    base.requests.length = 0
    await base.clock.advance(600_000)
    expect(base.requests.filter(({ method }) => method !== 'GET').map(({ path }) => path)).toEqual([])
  })

  test('keeps its value and its interval when other objects change', async () => {
    const times: number[] = []
    const timed = defineResourceSource({
      apiVersion: 'berth.dev/v1',
      name: 'node-annotation',
      description: 'Counts its queries.',
      argsSchema: z.strictObject({}),
      create: (_, { clock }) => ({
        compute: async () => {
          times.push(clock.monotonic())
          return { units: 2, observedAtMs: clock.now() }
        },
      }),
    })
    await using cluster = await objectCluster([timed])
    const { base } = cluster
    await cluster.create('dongles', { source: { plugin: 'node-annotation' }, nodes: { names: ['node-a'] } })
    await base.startWithObjects([])
    await base.clock.advance(1_000)
    for (let second = 0; second < 100; second++) {
      if (second % 5 === 0) await cluster.create(`seats-${second}`, { resourceName: 'example.com/seat', units: 1 })
      await base.clock.advance(1_000)
    }
    // Once at the start, and every 30 s.
    expect(times.length).toBe(4)
    expect(await cluster.offered()).toEqual(['2', undefined])
  })

  test.for(['command', 'file', 'http', 'prometheus'])('may not use %s, which is never created', async (plugin) => {
    await using cluster = await objectCluster([command])
    await cluster.create('code', labelled(plugin))
    await cluster.create('dongles', { resourceName: 'example.com/seat', units: 2 })
    await cluster.base.startWithObjects([])
    await cluster.base.clock.advance(5_000)
    expect(await cluster.conditions('code')).toEqual(['Advertised=False NotAllowed', 'NotAllowed NotAllowed'])
    expect((await cluster.find('code'))?.status?.conditions?.[0]?.message).toContain(
      `an operator declares ${plugin} in the configuration file`,
    )
    expect([await cluster.offered(), await cluster.offered('example.com/seat')]).toEqual([
      [undefined, undefined],
      ['2', '2'],
    ])
  })

  test.for([
    { it: 'unknown arguments', plugins: [nodeLabel], args: { shell: 'sh' }, says: 'shell' },
    { it: 'a source that is not installed', plugins: [], args: {}, says: 'node-label' },
  ])('and with $it is skipped, counted and logged, and other objects are not affected', async (sample) => {
    await using cluster = await objectCluster(sample.plugins)
    const { base } = cluster
    await cluster.create('bad', labelled('node-label', sample.args))
    await cluster.create('good', { resourceName: 'example.com/seat', units: 2 })
    await base.startWithObjects([])
    await base.clock.advance(5_000)
    expect(await cluster.conditions('bad')).toEqual(['Advertised=False Invalid', 'Invalid Invalid'])
    expect((await cluster.find('bad'))?.status?.conditions?.[1]?.message).toContain(sample.says)
    expect([await cluster.offered('example.com/seat'), await cluster.conditions('good')]).toEqual([
      ['2', '2'],
      ['Advertised AllNodes'],
    ])
    expect(base.lines.filter(({ object, level }) => object === 'bad' && level === 'warn')).toHaveLength(1)
    expect(await base.metric('berth_advertiser_objects{state="invalid"}')).toBe(
      'berth_advertiser_objects{state="invalid"} 1',
    )
    await base.clock.advance(300_000)
    expect(base.lines.filter(({ object, level }) => object === 'bad' && level === 'warn')).toHaveLength(1)
  })
})

describe('the allowed names', () => {
  test('let a new name pass without a restart, by name or by domain', async () => {
    await using cluster = await objectCluster()
    const { base } = cluster
    await cluster.allow({ names: 'example.com/seat\n' })
    await cluster.create('dongles', { units: 4 })
    await cluster.create('seats', { resourceName: 'example.com/seat', units: 2 })
    await base.startWithObjects([], ALLOWED)
    await base.clock.advance(5_000)
    expect([await cluster.offered(), await cluster.offered('example.com/seat')]).toEqual([
      [undefined, undefined],
      ['2', '2'],
    ])
    expect(await cluster.conditions('dongles')).toEqual(['Advertised=False NotAllowed', 'NotAllowed NotAllowed'])
    expect((await cluster.find('dongles'))?.status?.conditions?.[1]?.message).toBe(
      `example.com/dongle is not among the allowed names and domains; an administrator adds it to the ConfigMap ${ALLOWED}`,
    )
    await cluster.allow({ domains: '  example.com  \n' })
    await base.clock.advance(5_000)
    expect(await cluster.offered()).toEqual(['4', '4'])
    expect(await cluster.conditions('dongles')).toEqual(['Advertised AllNodes'])
  })

  test('of two installations that both refuse an object lead to one status of each, not to an exchange', async () => {
    await using cluster = await objectCluster()
    const { base } = cluster
    await cluster.create('dongles', { units: 4 })
    await base.startWithObjects([], ALLOWED)
    await base.startWithObjects([], 'lab/other-names')
    await base.clock.advance(300_000)
    const writes = base.requests.filter(({ method, path }) => method === 'PATCH' && path.includes('/dongles/status'))
    expect(writes).toHaveLength(2)
    // A new reason is written.
    await cluster.allow({ names: 'example.com/seat' })
    await base.clock.advance(5_000)
    expect((await cluster.find('dongles'))?.status?.conditions?.[0]?.message).toContain(
      'is not among the allowed names',
    )
  })

  test('withdraw a resource whose name an administrator removes, and a deletion then still works', async () => {
    await using cluster = await objectCluster()
    const { base } = cluster
    await cluster.allow({ names: DONGLE })
    await cluster.create('dongles', { units: 4 })
    await base.startWithObjects([], ALLOWED)
    await base.clock.advance(5_000)
    await base.addPod('holder', 'node-a', { [DONGLE]: '1' })
    await cluster.allow({ names: '' })
    await base.clock.advance(5_000)
    expect(await cluster.offered()).toEqual(['1', undefined])
    expect(await cluster.conditions('dongles')).toEqual([
      'Advertised=False NotAllowed',
      'Held Held',
      'NotAllowed NotAllowed',
    ])
    await base.admin.delete(resourceRefs.pods, { namespace: 'default', name: 'holder' }, { gracePeriodSeconds: 0 })
    await cluster.delete('dongles')
    await base.clock.advance(20_000)
    expect([await cluster.offered(), await cluster.find('dongles')]).toEqual([[undefined, undefined], undefined])
  })

  test.for([
    {
      it: 'a subdomain and a shorter name are other names',
      data: { names: 'example.com/dong', domains: 'sub.example.com\nple.com' },
      says: 'is not among the allowed names',
    },
    { it: 'nothing is allowed while the ConfigMap does not exist', data: undefined, says: 'does not exist' },
  ])('$it', async ({ data, says }) => {
    await using cluster = await objectCluster()
    if (data !== undefined) await cluster.allow(data)
    await cluster.create('dongles', { units: 4 })
    await cluster.base.startWithObjects([], ALLOWED)
    await cluster.base.clock.advance(5_000)
    expect(await cluster.offered()).toEqual([undefined, undefined])
    expect((await cluster.find('dongles'))?.status?.conditions?.[0]?.message).toContain(says)
  })
})
