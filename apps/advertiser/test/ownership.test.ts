import { resourceRefs, startLeaderElection, type LeaderElection } from '@berth/k8s-client'
import { splitNamespacedName, type Lease } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { refused } from './api-answers.ts'
import { dongles, OWNER, testCluster, type TestCluster } from './test-cluster.ts'

const name = 'example.com/dongle'
const LAB = 'lab/berth-advertiser'

async function ownerOf(cluster: TestCluster, node: string): Promise<unknown> {
  const text = (await cluster.node(node)).metadata.annotations?.['berth.dev/advertised-by']
  return text === undefined ? undefined : (JSON.parse(text) as { readonly owner: string }).owner
}

/** Starts a process that holds the Lease of an installation. */
async function lead(cluster: TestCluster, owner: string): Promise<LeaderElection> {
  const { client, clock } = cluster
  const log = cluster.dependencies.log
  const identity = 'running-pod'
  const election = startLeaderElection({
    client,
    clock,
    log,
    random: () => 0.5,
    ...splitNamespacedName(owner),
    identity,
  })
  await election.whenLeading()
  return election
}

/** Runs a command that waits for a Lease, in virtual time. */
async function whileWaiting<T>(cluster: TestCluster, command: Promise<T>): Promise<T> {
  command.catch(() => undefined)
  for (let second = 0; second < 30; second++) await cluster.clock.advance(1_000)
  return await command
}

describe('an installation', () => {
  test('is named on each node that it writes, and holds its Lease only while it writes', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a')
    await cluster.run('once', [dongles(4, 'node-a')])
    expect(await ownerOf(cluster, 'node-a')).toBe(OWNER)
    const { spec } = await cluster.client.get<Lease>(resourceRefs.leases, splitNamespacedName(OWNER))
    expect(spec?.holderIdentity).toBe('')
  })

  test.for(['once', 'prune'] as const)(
    '%s of another installation is refused by name and changes nothing',
    async (mode) => {
      await using cluster = await testCluster()
      await cluster.addNode('node-a')
      await cluster.addNode('node-b')
      await cluster.run('once', [dongles(4, 'node-a')])
      const before = [await cluster.node('node-a'), await cluster.node('node-b')]
      await expect(
        cluster.run(mode, [dongles(2, 'node-a', 'node-b')], { owner: LAB, force: true }),
      ).rejects.toMatchObject({
        code: 'BERTH_ADVERTISER_FOREIGN_OWNER',
        message: expect.stringContaining(
          `this is installation ${LAB}, and the resources on these nodes belong to ${OWNER}`,
        ),
      })
      expect([await cluster.node('node-a'), await cluster.node('node-b')]).toEqual(before)
    },
  )

  test('that runs with an empty configuration withdraws nothing of another one', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a')
    await cluster.run('once', [dongles(4, 'node-a')], { owner: LAB })
    const before = await cluster.node('node-a')
    const advertiser = await cluster.start([])
    expect(await cluster.node('node-a')).toEqual(before)
    advertiser.reconfigure(cluster.setup([dongles(2, 'node-a')]))
    await cluster.clock.settle()
    await advertiser.settled()
    expect(await cluster.node('node-a')).toEqual(before)
    expect(cluster.events.at(-1)).toMatchObject({
      type: 'Warning',
      reason: 'ResourceConflict',
      note: expect.stringContaining(`its resources belong to the installation ${LAB} since 2026-01-01T00:00:00.000Z`),
    })
    expect(await cluster.metric('berth_advertiser_conflicts_nodes{')).toBe(
      'berth_advertiser_conflicts_nodes{resource_name="",reason="foreign-owner"} 1',
    )
  })

  test('prunes its own nodes and leaves those of another installation', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a')
    await cluster.addNode('node-b')
    await cluster.run('once', [dongles(4, 'node-a')])
    await cluster.run('once', [dongles(4, 'node-b')], { owner: LAB })
    await cluster.run('prune', [])
    const offered = async (node: string) => (await cluster.node(node)).status?.capacity?.[name]
    expect([await offered('node-a'), await offered('node-b')]).toEqual([undefined, '4'])
  })

  test.for(['once', 'prune'] as const)('%s is refused while a process of the installation runs', async (mode) => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a')
    await cluster.run('once', [dongles(4, 'node-a')])
    const before = await cluster.node('node-a')
    await using _running = await lead(cluster, OWNER)
    await expect(whileWaiting(cluster, cluster.run(mode, []))).rejects.toMatchObject({
      code: 'BERTH_ADVERTISER_LEASE_HELD',
      message: expect.stringContaining(`installation ${OWNER} is running: running-pod holds its Lease`),
    })
    expect(await cluster.node('node-a')).toEqual(before)
  })

  test.for([
    {
      it: 'the namespace of its Lease is missing',
      owner: 'nowhere/berth-advertiser',
      says: 'namespaces "nowhere" not found',
    },
    { it: 'it may not use its Lease', owner: OWNER, says: 'forbidden' },
  ])('fails at once: $it', async ({ owner, says }) => {
    await using cluster = await testCluster()
    const isForbidden = owner === OWNER
    cluster.intercept(({ path }) =>
      isForbidden && path.includes('/leases') ? refused(403, 'Forbidden', 'forbidden') : undefined,
    )
    await expect(cluster.run('once', [], { owner })).rejects.toThrow(says)
  })

  test('prunes 15 s after its last process ended without releasing the Lease', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a')
    await cluster.run('once', [dongles(4, 'node-a')])
    await cluster.client.modify<Lease>(resourceRefs.leases, splitNamespacedName(OWNER), (current) => ({
      ...current,
      spec: { ...current.spec, holderIdentity: 'killed-pod', leaseDurationSeconds: 15 },
    }))
    await whileWaiting(cluster, cluster.run('prune', []))
    expect((await cluster.node('node-a')).status?.capacity).not.toHaveProperty([name])
  })

  test('migrates the record of a version without owners, and such a version still reads it', async () => {
    await using cluster = await testCluster()
    const record = '{"example.com/dongle":"4"}'
    await cluster.addNode('node-a', { annotations: { 'berth.dev/advertised': record } }, { [name]: '4' })
    await cluster.start([dongles(4, 'node-a')])
    expect(await ownerOf(cluster, 'node-a')).toBe(OWNER)
    expect((await cluster.node('node-a')).metadata.annotations?.['berth.dev/advertised']).toBe(record)
    expect(cluster.lines).toContainEqual(expect.objectContaining({ message: 'Took over the record of the node' }))
  })
})

describe('adopt', () => {
  test('takes over a declared value that Berth did not write', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a', {}, { [name]: '3' })
    await cluster.addNode('node-b')
    expect(await cluster.run('plan-adopt', [dongles(4, 'node-a', 'node-b')])).toContain(
      `node-a:\n  ${name}: 3 -> 4\n1 of`,
    )
    await cluster.run('adopt', [dongles(4, 'node-a', 'node-b')])
    expect((await cluster.node('node-a')).status?.allocatable?.[name]).toBe('4')
    expect(await ownerOf(cluster, 'node-a')).toBe(OWNER)
    expect((await cluster.node('node-b')).status?.capacity).not.toHaveProperty([name])
  })

  test('refuses a resource that a device plugin serves', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a')
    const status = { capacity: { [name]: '8' }, allocatable: { [name]: '8' } }
    await cluster.client.patchNodeStatus('node-a', { status }, { fieldManager: 'kubelet' })
    const before = await cluster.node('node-a')
    await expect(cluster.run('adopt', [dongles(4, 'node-a')])).rejects.toMatchObject({
      code: 'BERTH_ADVERTISER_INCOMPLETE',
    })
    expect(await cluster.node('node-a')).toEqual(before)
    expect(cluster.events.at(-1)?.note).toContain('the kubelet sets it to 8 for a device plugin')
  })

  test('--from takes over the records of an installation that has ended', async () => {
    await using cluster = await testCluster()
    for (const node of ['node-a', 'node-b', 'node-c']) await cluster.addNode(node)
    await cluster.run('once', [dongles(4, 'node-a')], { owner: LAB })
    await cluster.run('once', [dongles(4, 'node-b')], { owner: 'third/party' })
    await cluster.run('adopt', [], { from: LAB })
    const owners = await Promise.all(['node-a', 'node-b', 'node-c'].map((node) => ownerOf(cluster, node)))
    expect(owners).toEqual([OWNER, 'third/party', undefined])
    expect((await cluster.node('node-a')).status?.allocatable?.[name]).toBe('4')
  })

  test('--from takes over from an installation whose Lease is gone', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a')
    await cluster.run('once', [dongles(4, 'node-a')], { owner: LAB })
    await cluster.client.delete(resourceRefs.leases, { namespace: 'lab', name: 'berth-advertiser' })
    await cluster.run('adopt', [], { from: LAB })
    expect(await ownerOf(cluster, 'node-a')).toBe(OWNER)
  })

  test('--from is refused while that installation runs', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a')
    await cluster.run('once', [dongles(4, 'node-a')], { owner: LAB })
    await using _running = await lead(cluster, LAB)
    await expect(whileWaiting(cluster, cluster.run('adopt', [], { from: LAB }))).rejects.toMatchObject({
      code: 'BERTH_ADVERTISER_LEASE_HELD',
      message: expect.stringContaining(`take over the resources of ${LAB}: installation ${LAB} is running`),
    })
    expect(await ownerOf(cluster, 'node-a')).toBe(LAB)
  })
})

describe('a name that a DeviceClass has', () => {
  test('is left to the DRA driver and reported', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a')
    const spec = { extendedResourceName: name }
    await cluster.client.create(resourceRefs.deviceClasses, {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'DeviceClass',
      metadata: { name: 'dongles' },
      spec,
    })
    await expect(cluster.run('once', [dongles(4, 'node-a')])).rejects.toMatchObject({
      code: 'BERTH_ADVERTISER_INCOMPLETE',
    })
    expect((await cluster.node('node-a')).status?.capacity).not.toHaveProperty([name])
    expect(cluster.events.at(-1)?.note).toContain('DeviceClass dongles has this extended resource name')
  })
})
