import { resourceRefs } from '@berth/k8s-client'
import { describe, expect, test } from 'vitest'
import { extendedResources, FINALIZER } from '../src/objects/definition/object-api.ts'
import { refused } from './api-answers.ts'
import { DONGLE, objectCluster } from './object-cluster.ts'
import { statusSchema } from '../src/objects/definition/status-schema.ts'
import { dongles, OWNER } from './test-cluster.ts'

describe('ExtendedResource objects', () => {
  test('are advertised like entries of the file, and report it', async () => {
    await using cluster = await objectCluster()
    const { clock } = cluster.base
    await cluster.create('early', { units: 4, nodes: { names: ['node-a'] } })
    await cluster.base.startWithObjects([])
    await cluster.create('late', { resourceName: 'example.com/seat', units: 2 })
    await clock.advance(5_000)
    expect([await cluster.offered(), await cluster.offered('example.com/seat')]).toEqual([
      ['4', undefined],
      ['2', '2'],
    ])
    expect((await cluster.find('late'))?.status).toMatchObject({
      observedGeneration: 1,
      nodesMatched: 2,
      nodesAdvertised: 2,
      conflictCount: 0,
      conditions: [{ type: 'Advertised', status: 'True', reason: 'AllNodes', message: '2 nodes offer the resource' }],
    })
    expect(statusSchema.safeParse((await cluster.find('late'))?.status).success).toBe(true)
    await cluster.change('late', { units: 3 })
    await clock.advance(5_000)
    expect(await cluster.offered('example.com/seat')).toEqual(['3', '3'])
    expect((await cluster.find('late'))?.status?.observedGeneration).toBe(2)
    expect(await cluster.base.metric('berth_advertiser_objects{')).toBe('berth_advertiser_objects{state="declares"} 2')
  })

  test('write nothing at rest, and nothing at a restart', async () => {
    await using cluster = await objectCluster()
    const { base } = cluster
    const first = await cluster.advertise()
    base.requests.length = 0
    await base.clock.advance(600_000)
    await first[Symbol.asyncDispose]()
    await base.startWithObjects([])
    await base.clock.advance(120_000)
    expect(base.requests.filter(({ method }) => method !== 'GET')).toEqual([])
    expect(await cluster.conditions('dongles')).toEqual(['Advertised AllNodes'])
  })

  test('have the finalizer before anything is written to a node', async () => {
    await using cluster = await objectCluster()
    const { base } = cluster
    await base.startWithObjects([])
    base.requests.length = 0
    await cluster.create('dongles', { units: 4 })
    await base.clock.advance(5_000)
    const writes = base.requests.filter(({ method }) => method === 'PATCH').map(({ path }) => path.split('?')[0])
    expect(writes[0]).toMatch(/extendedresources\/dongles$/)
    expect(writes.slice(1, 3)).toEqual(['/api/v1/nodes/node-a/status', '/api/v1/nodes/node-b/status'])
    const { metadata } = (await cluster.find('dongles')) ?? { metadata: {} }
    expect(metadata.finalizers).toEqual([FINALIZER])
    expect(metadata.annotations?.['berth.dev/advertised-by']).toContain(`"owner":"${OWNER}"`)
  })

  test('keep their resource on the nodes when a user removes the finalizer, and add it again', async () => {
    await using cluster = await objectCluster()
    const { base } = cluster
    await cluster.advertise()
    base.requests.length = 0
    const metadata = { finalizers: null, annotations: null }
    await base.admin.patch(extendedResources, { name: 'dongles' }, { metadata }, { type: 'merge' })
    await base.clock.advance(5_000)
    expect(base.requests.filter(({ method, path }) => method === 'PATCH' && path.includes('/nodes/'))).toEqual([])
    expect((await cluster.find('dongles'))?.metadata.finalizers).toEqual([FINALIZER])
  })

  test('that are deleted disappear when their resource is withdrawn', async () => {
    await using cluster = await objectCluster()
    const { base } = cluster
    await cluster.advertise()
    await cluster.delete('dongles')
    expect(await cluster.find('dongles')).toBeDefined()
    await base.clock.advance(5_000)
    expect([await cluster.offered(), await cluster.find('dongles')]).toEqual([[undefined, undefined], undefined])
    expect((await base.node('node-a')).metadata.annotations).toBeUndefined()
  })

  test('that are deleted while the advertiser is down are withdrawn when it starts', async () => {
    await using cluster = await objectCluster()
    const { base } = cluster
    await cluster.create('dongles', { units: 4 })
    await cluster.create('seats', { resourceName: 'example.com/seat', units: 2 })
    const first = await base.startWithObjects([])
    await base.clock.advance(5_000)
    await first[Symbol.asyncDispose]()
    await cluster.delete('dongles')
    // Without a finalizer, the record on the nodes is enough.
    await base.admin.patch(extendedResources, { name: 'seats' }, { metadata: { finalizers: null } }, { type: 'merge' })
    await cluster.delete('seats')
    await base.clock.advance(60_000)
    expect([await cluster.offered(), (await cluster.find('dongles'))?.metadata.name]).toEqual([['4', '4'], 'dongles'])
    await base.startWithObjects([])
    await base.clock.advance(5_000)
    expect([await cluster.offered(), await cluster.offered('example.com/seat')]).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ])
    expect(await cluster.find('dongles')).toBeUndefined()
  })

  test('that are deleted after they lost the name of the installation are released', async () => {
    await using cluster = await objectCluster()
    const { base } = cluster
    const first = await cluster.advertise()
    await first[Symbol.asyncDispose]()
    await base.admin.patch(
      extendedResources,
      { name: 'dongles' },
      { metadata: { annotations: null } },
      { type: 'merge' },
    )
    await cluster.delete('dongles')
    await base.startWithObjects([])
    await base.clock.advance(5_000)
    expect([await cluster.offered(), await cluster.find('dongles')]).toEqual([[undefined, undefined], undefined])
  })

  test('that are deleted stay, with the condition Held, while running pods hold units', async () => {
    await using cluster = await objectCluster()
    const { base } = cluster
    await cluster.advertise()
    await base.addPod('holder', 'node-a', { [DONGLE]: '3' })
    await cluster.delete('dongles')
    await base.clock.advance(5_000)
    expect(await cluster.offered()).toEqual(['3', undefined])
    expect(await cluster.conditions('dongles')).toEqual(['Advertised=False Withdrawing', 'Held Held'])
    expect((await cluster.find('dongles'))?.status).toMatchObject({
      nodesMatched: 0,
      conflictCount: 1,
      conflicts: [{ node: 'node-a', reason: 'Held', message: expect.stringContaining('default/holder') }],
    })
    await base.admin.delete(resourceRefs.pods, { namespace: 'default', name: 'holder' }, { gracePeriodSeconds: 0 })
    await base.clock.advance(20_000)
    expect([await cluster.offered(), await cluster.find('dongles')]).toEqual([[undefined, undefined], undefined])
  })

  test('that select fewer nodes report what running pods hold on the others', async () => {
    await using cluster = await objectCluster()
    const { base } = cluster
    await cluster.advertise({ units: 4, nodes: { names: ['node-a', 'node-b'] } })
    await base.addPod('holder', 'node-a', { [DONGLE]: '1' })
    await cluster.change('dongles', { nodes: { names: ['node-b'] } })
    await base.clock.advance(5_000)
    expect(await cluster.offered()).toEqual(['1', '4'])
    expect(await cluster.conditions('dongles')).toEqual(['Advertised AllNodes', 'Held Held'])
  })
})

describe('overlapping declarations', () => {
  test('the file overrides objects, and the loser says so', async () => {
    await using cluster = await objectCluster()
    const { base } = cluster
    await cluster.create('dongles', { units: 4, precedence: 1_000 })
    const advertiser = await base.startWithObjects([dongles(8, 'node-a')])
    await base.clock.advance(5_000)
    expect(await cluster.offered()).toEqual(['8', '4'])
    expect(await cluster.conditions('dongles')).toEqual(['Advertised=False Overridden', 'Overridden Overridden'])
    expect((await cluster.find('dongles'))?.status).toMatchObject({
      nodesMatched: 2,
      nodesAdvertised: 1,
      conflicts: [{ node: 'node-a', message: 'resources[0] of the configuration file applies to node-a instead' }],
    })
    advertiser.reconfigure(base.setup([]))
    await base.clock.advance(5_000)
    expect(await cluster.offered()).toEqual(['4', '4'])
    expect(await cluster.conditions('dongles')).toEqual(['Advertised AllNodes'])
  })

  test('the higher precedence applies, then the older object, and its deletion lets the other apply', async () => {
    await using cluster = await objectCluster()
    const { base } = cluster
    await cluster.create('old', { units: 1 })
    await base.clock.advance(2_000)
    await cluster.create('young', { units: 2 })
    await base.startWithObjects([])
    await base.clock.advance(5_000)
    expect(await cluster.offered()).toEqual(['1', '1'])
    expect((await cluster.find('young'))?.status?.conflicts?.[0]?.message).toBe(
      'extendedresources/old (precedence 0) applies to node-a instead',
    )
    await cluster.change('young', { precedence: 1 })
    await base.clock.advance(5_000)
    expect(await cluster.offered()).toEqual(['2', '2'])
    expect([await cluster.conditions('old'), await cluster.conditions('young')]).toEqual([
      ['Advertised=False Overridden', 'Overridden Overridden'],
      ['Advertised AllNodes'],
    ])
    base.requests.length = 0
    await cluster.delete('young')
    await base.clock.advance(5_000)
    expect([await cluster.offered(), await cluster.find('young')]).toEqual([['1', '1'], undefined])
    expect(await cluster.conditions('old')).toEqual(['Advertised AllNodes'])
    const withdrawals = base.requests.filter(({ body }) => String(body).includes(`"${DONGLE}":null`))
    expect(withdrawals).toEqual([])
  })
})

describe('the status of an object', () => {
  test.for([
    { it: 'a node that another writer serves', amounts: { [DONGLE]: '7' }, reason: 'ForeignValue' },
    { it: 'no node', spec: { nodes: { selector: { matchLabels: { zone: 'x' } } } }, reason: 'NoNodes' },
    { it: 'a node that does not exist', spec: { nodes: { names: ['node-a', 'node-z'] } }, reason: 'MissingNodes' },
  ])('says that it selects $it', async ({ amounts, spec = {}, reason }) => {
    await using cluster = await objectCluster()
    if (amounts !== undefined) await cluster.base.addNode('node-c', {}, amounts)
    await cluster.advertise({ units: 4, ...spec })
    expect(await cluster.conditions('dongles')).toEqual([`Advertised=False ${reason}`])
  })

  test('names a node that could not be written, and forgets it after a success', async () => {
    await using cluster = await objectCluster()
    const { base } = cluster
    let isBroken = true
    base.intercept(({ method, path }) =>
      isBroken && method === 'PATCH' && path.includes('/nodes/node-b/') ? refused(500, 'InternalError') : undefined,
    )
    await cluster.create('dongles', { units: 4 })
    await base.startWithObjects([])
    await base.clock.advance(30_000)
    expect(await cluster.conditions('dongles')).toEqual(['Advertised=False Failed', 'Failed Failed'])
    expect((await cluster.find('dongles'))?.status).toMatchObject({
      nodesAdvertised: 1,
      lastError: expect.stringMatching(/^node-b: .*500/),
    })
    isBroken = false
    await base.clock.advance(120_000)
    expect(await cluster.conditions('dongles')).toEqual(['Advertised AllNodes'])
    expect((await cluster.find('dongles'))?.status).not.toHaveProperty('lastError')
  })

  test('says that a write waits, because another writer keeps undoing it', async () => {
    await using cluster = await objectCluster()
    const { base } = cluster
    await cluster.advertise()
    const undo = async (): Promise<void> => {
      const status = { capacity: { [DONGLE]: '9' }, allocatable: { [DONGLE]: '9' } }
      await base.admin.patchNodeStatus('node-a', { status }, { fieldManager: 'rival' })
      await base.clock.settle()
    }
    // The delay grows to half a minute.
    for (let round = 0; round < 8; round++) {
      await undo()
      await base.clock.advance(20_000)
    }
    await undo()
    await base.clock.advance(5_000)
    expect(await cluster.offered()).toEqual(['9', '4'])
    expect(await cluster.conditions('dongles')).toEqual(['Advertised=False Pending'])
    expect((await cluster.find('dongles'))?.status).toMatchObject({ nodesMatched: 2, nodesAdvertised: 1 })
    await base.clock.advance(120_000)
    expect(await cluster.offered()).toEqual(['4', '4'])
    expect(await cluster.conditions('dongles')).toEqual(['Advertised AllNodes'])
  })

  test('keeps the time of a condition while it does not change', async () => {
    await using cluster = await objectCluster()
    const { base } = cluster
    await cluster.advertise()
    const timeOf = async () => (await cluster.find('dongles'))?.status?.conditions?.[0]?.lastTransitionTime
    const first = await timeOf()
    await base.clock.advance(60_000)
    await base.addNode('node-c')
    await base.clock.advance(5_000)
    expect((await cluster.find('dongles'))?.status?.nodesAdvertised).toBe(3)
    expect(await timeOf()).toBe(first)
  })
})

describe('failures around objects', () => {
  test.for([
    { it: '409 Conflict', status: 409, reason: 'Conflict' },
    { it: '500', status: 500, reason: 'InternalError' },
    { it: '403', status: 403, reason: 'Forbidden' },
  ])('a status write that fails with $it does not affect the nodes, and is repeated', async ({ status, reason }) => {
    await using cluster = await objectCluster()
    const { base } = cluster
    let failed = 0
    base.intercept(({ path }) =>
      path.includes('/extendedresources/dongles/status') && failed < 8 && ++failed > 0
        ? refused(status, reason)
        : undefined,
    )
    await cluster.advertise()
    expect(await cluster.offered()).toEqual(['4', '4'])
    await base.clock.advance(300_000)
    expect(failed).toBe(8)
    expect(await cluster.conditions('dongles')).toEqual(['Advertised AllNodes'])
  })

  test('an expired watch (410) loses no change', async () => {
    await using cluster = await objectCluster()
    const { base } = cluster
    await cluster.advertise()
    let expired = 0
    base.intercept(({ path }) =>
      path.includes('extendedresources?') && path.includes('watch=') && expired < 2 && ++expired > 0
        ? refused(410, 'Expired')
        : undefined,
    )
    // The server ends each watch within ten minutes.
    await base.clock.advance(700_000)
    expect(expired).toBe(2)
    await cluster.change('dongles', { units: 6 })
    await base.clock.advance(120_000)
    expect(await cluster.offered()).toEqual(['6', '6'])
  })

  test('a process without the Lease writes no object', async () => {
    await using cluster = await objectCluster()
    const { base } = cluster
    base.loseLease()
    await cluster.create('dongles', { units: 4 })
    await base.startWithObjects([])
    await base.clock.advance(30_000)
    const { metadata, status } = (await cluster.find('dongles')) ?? { metadata: {} }
    expect([metadata.finalizers, status, await cluster.offered()]).toEqual([
      undefined,
      undefined,
      [undefined, undefined],
    ])
  })

  test('a missing definition is an error that says what to install, and withdraws nothing', async () => {
    await using cluster = await objectCluster()
    const { base } = cluster
    const first = await cluster.advertise()
    await first[Symbol.asyncDispose]()
    base.intercept(({ path }) => (path.includes('extendedresources') ? refused(404, 'NotFound') : undefined))
    void base.startWithObjects([]).catch(() => undefined)
    await base.clock.advance(60_000)
    expect(await cluster.offered()).toEqual(['4', '4'])
    expect(base.lines.filter(({ level }) => level === 'error')).toMatchObject([
      { err: { code: 'BERTH_ADVERTISER_DEFINITION_MISSING', message: expect.stringContaining('is not installed') } },
    ])
    base.intercept(() => undefined)
    await base.clock.advance(120_000)
    expect(await cluster.offered()).toEqual(['4', '4'])
  })

  test('an object of another installation is left alone', async () => {
    await using cluster = await objectCluster()
    const { base } = cluster
    await cluster.create('dongles', { units: 4 })
    const annotations = { 'berth.dev/advertised-by': '{"owner":"lab/berth-advertiser","since":"2026-01-01T00:00:00Z"}' }
    await base.admin.patch(extendedResources, { name: 'dongles' }, { metadata: { annotations } }, { type: 'merge' })
    await base.startWithObjects([])
    await base.clock.advance(5_000)
    expect([await cluster.offered(), (await cluster.find('dongles'))?.status]).toEqual([
      [undefined, undefined],
      undefined,
    ])
    expect(base.lines).toContainEqual(expect.objectContaining({ object: 'dongles', owner: 'lab/berth-advertiser' }))
  })
})
