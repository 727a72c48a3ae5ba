import { describe, expect, test } from 'vitest'
import { extendedResources } from '../src/objects/definition/object-api.ts'
import { refused } from './api-answers.ts'
import { DONGLE, objectCluster, type ObjectCluster } from './object-cluster.ts'
import { dongles, OWNER } from './test-cluster.ts'

const LAB = 'lab/berth-advertiser'

/** Advertises an object with a running advertiser that then stops. */
async function advertised(cluster: ObjectCluster): Promise<void> {
  const advertiser = await cluster.advertise()
  await advertiser[Symbol.asyncDispose]()
}

describe('commands with objects', () => {
  test('once and plan read the objects as they read the file, and write no object', async () => {
    await using cluster = await objectCluster()
    const { base } = cluster
    await cluster.create('dongles', { units: 4 })
    const plan = await base.run('plan', [dongles(8, 'node-a')], { watchObjects: true })
    expect(plan).toContain(`node-a:\n  ${DONGLE}: none -> 8\nnode-b:\n  ${DONGLE}: none -> 4`)
    await base.run('once', [dongles(8, 'node-a')], { watchObjects: true })
    expect(await cluster.offered()).toEqual(['8', '4'])
    const { metadata, status } = (await cluster.find('dongles')) ?? { metadata: {} }
    expect([metadata.finalizers, status]).toEqual([undefined, undefined])
  })

  test('once without the definition fails and says what to install', async () => {
    await using cluster = await objectCluster()
    cluster.base.intercept(({ path }) => (path.includes('extendedresources') ? refused(404, 'NotFound') : undefined))
    await expect(cluster.base.run('once', [], { watchObjects: true })).rejects.toMatchObject({
      code: 'BERTH_ADVERTISER_DEFINITION_MISSING',
      hint: expect.stringContaining('charts/berth/files/extended-resource-definition.yaml'),
    })
    // There is nothing to release.
    await cluster.base.run('prune', [], { watchObjects: true })
  })

  test('prune withdraws what the objects declare and releases them, also one that is being deleted', async () => {
    await using cluster = await objectCluster()
    const { base } = cluster
    await advertised(cluster)
    await cluster.create('seats', { resourceName: 'example.com/seat', units: 1 })
    await advertisedAgain(cluster)
    await cluster.delete('seats')
    await base.run('prune', [], { watchObjects: true })
    expect([await cluster.offered(), await cluster.offered('example.com/seat')]).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ])
    const { metadata, status } = (await cluster.find('dongles')) ?? { metadata: {} }
    expect([metadata.finalizers ?? [], metadata.annotations ?? {}, status]).toEqual([[], {}, undefined])
    expect(await cluster.find('seats')).toBeUndefined()
  })

  test('prune releases a deleted object that lost the name of the installation', async () => {
    await using cluster = await objectCluster()
    await advertised(cluster)
    const metadata = { annotations: null }
    await cluster.base.admin.patch(extendedResources, { name: 'dongles' }, { metadata }, { type: 'merge' })
    await cluster.delete('dongles')
    await cluster.base.run('prune', [], { watchObjects: true })
    expect(await cluster.find('dongles')).toBeUndefined()
  })

  test('prune leaves the objects of another installation alone', async () => {
    await using cluster = await objectCluster()
    await advertised(cluster)
    const before = await cluster.find('dongles')
    await cluster.base.run('prune', [], { watchObjects: true, owner: LAB }).catch(() => undefined)
    expect(await cluster.find('dongles')).toEqual(before)
  })

  test('prune repeats a release that a change of the object interrupts', async () => {
    await using cluster = await objectCluster()
    const { base } = cluster
    await advertised(cluster)
    let changes = 0
    base.intercept(({ method, path }) => {
      if (method !== 'PATCH' || !path.includes('/extendedresources/dongles') || changes >= 2) return undefined
      changes += 1
      return refused(409, 'Conflict')
    })
    await base.run('prune', [], { watchObjects: true })
    expect(changes).toBe(2)
    expect((await cluster.find('dongles'))?.metadata.finalizers ?? []).toEqual([])
  })

  test('prune with refuseObjects changes nothing while objects exist, and names them', async () => {
    await using cluster = await objectCluster()
    await advertised(cluster)
    await expect(cluster.base.run('plan-prune', [], { watchObjects: true, refuseObjects: true })).rejects.toMatchObject(
      { code: 'BERTH_ADVERTISER_OBJECTS_EXIST', message: expect.stringContaining('dongles') },
    )
    expect(await cluster.offered()).toEqual(['4', '4'])
    await cluster.base.admin.patch(
      extendedResources,
      { name: 'dongles' },
      { metadata: { finalizers: null } },
      { type: 'merge' },
    )
    await cluster.delete('dongles')
    await cluster.base.run('plan-prune', [], { watchObjects: true, refuseObjects: true })
  })

  test('adopt --from takes the objects over together with the nodes', async () => {
    await using cluster = await objectCluster()
    await advertised(cluster)
    await cluster.base.run('adopt', [], { watchObjects: true, owner: LAB, from: OWNER })
    const { metadata } = (await cluster.find('dongles')) ?? { metadata: {} }
    expect(metadata.annotations?.['berth.dev/advertised-by']).toContain(`"owner":"${LAB}"`)
    expect(metadata.finalizers).toHaveLength(1)
    expect(await cluster.offered()).toEqual(['4', '4'])
  })
})

async function advertisedAgain(cluster: ObjectCluster): Promise<void> {
  const advertiser = await cluster.base.startWithObjects([])
  await cluster.base.clock.advance(5_000)
  await advertiser[Symbol.asyncDispose]()
}
