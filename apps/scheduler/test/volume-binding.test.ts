import { resourceRefs } from '@berth/k8s-client'
import type { BerthPlugin } from '@berth/plugin-api'
import type { ApiHandler, Pod } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { TestClusterOptions } from './test-cluster.ts'
import { SELECTED_NODE, startVolumeCluster, type VolumeCluster } from './volume-cluster.ts'

const NO_VOLUME = "node(s) didn't find available persistent volumes to bind"
const provisioner = 'disk.example.com'

const profile = (entry: string): string => `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{ schedulerName: berth-scheduler, ${entry} }]
`
const bindTimeout = (seconds: number): string =>
  profile(`pluginConfig: [{ name: VolumeBinding, args: { bindTimeoutSeconds: ${seconds} } }]`)

/** Fails the writes of volumes and claims for as long as `status` is set, and counts them. */
function volumeWrites(): {
  status: number | undefined
  count: number
  readonly intercept: (handle: ApiHandler) => ApiHandler
} {
  const writes = {
    status: undefined as number | undefined,
    count: 0,
    intercept:
      (handle: ApiHandler): ApiHandler =>
      async (request) => {
        if (request.method !== 'PATCH' || !request.path.includes('/persistentvolume')) return handle(request)
        writes.count += 1
        if (writes.status === undefined) return handle(request)
        const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: writes.status, message: 'refused' }
        return {
          status: writes.status,
          headers: { 'content-type': 'application/json' },
          body: (async function* () {
            yield new TextEncoder().encode(JSON.stringify(status))
          })(),
        }
      },
  }
  return writes
}

/** Returns how often VolumeBinding failed, by operation. */
async function failures({ metrics }: VolumeCluster): Promise<Readonly<Record<string, number>>> {
  const { values } = await metrics.kubeVolumeErrors.get()
  return Object.fromEntries(values.map(({ labels, value }) => [labels['operation'], value]))
}

describe('existing volumes', () => {
  test('places the pod where its volume is, and binds the claim to the smallest one that is large enough', async () => {
    await using cluster = await startVolumeCluster()
    await cluster.createClass('local')
    await cluster.createVolume('small', 'node-b', { storage: '1Gi' })
    await cluster.createVolume('large', 'node-b', { storage: '100Gi' })
    await cluster.createVolume('fitting', 'node-b', { storage: '5Gi' })
    await cluster.createClaim('data', { storage: '3Gi' })
    await cluster.createPodWith('db', 'data')
    await cluster.settle()
    expect(await cluster.nodeOf('db')).toBe('node-b')
    const { metadata, spec, status } = await cluster.volume('fitting')
    const claim = await cluster.claim('data')
    expect(spec.claimRef).toMatchObject({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      namespace: 'default',
      name: 'data',
      uid: claim.metadata.uid,
    })
    expect(metadata.annotations).toMatchObject({ 'pv.kubernetes.io/bound-by-controller': 'yes' })
    expect(status?.phase).toBe('Bound')
    expect([claim.spec.volumeName, claim.status?.phase]).toEqual(['fitting', 'Bound'])
    expect(cluster.view.stats().assumedObjects).toBe(0)
  })

  test('gives one volume to one of two pods, and the next volume to the other', async () => {
    await using cluster = await startVolumeCluster()
    await cluster.createClass('local')
    await cluster.createVolume('first', 'node-a')
    await cluster.createClaim('one')
    await cluster.createClaim('two')
    await cluster.settle()
    await Promise.all([cluster.createPodWith('db-1', 'one'), cluster.createPodWith('db-2', 'two')])
    await cluster.settle()
    const placed = await Promise.all(['db-1', 'db-2'].map((name) => cluster.nodeOf(name)))
    expect(new Set(placed)).toEqual(new Set(['node-a', undefined]))
    const loser = placed[0] === undefined ? 'db-1' : 'db-2'
    expect(await cluster.events(loser)).toEqual([expect.stringContaining(`0/2 nodes are available: 2 ${NO_VOLUME}`)])
    await cluster.createVolume('second', 'node-b')
    await cluster.clock.advance(3_000)
    expect(await cluster.nodeOf(loser)).toBe('node-b')
  })

  test('frees the volume for another pod when it cannot be written', async () => {
    const writes = volumeWrites()
    await using cluster = await startVolumeCluster({ intercept: writes.intercept })
    await cluster.createClass('local')
    await cluster.createVolume('only', 'node-a')
    await cluster.createClaim('one')
    writes.status = 403
    await cluster.createPodWith('db-1', 'one')
    await cluster.settle()
    expect(writes.count).toBe(1)
    expect(await cluster.events('db-1')).toEqual([
      expect.stringContaining('FailedScheduling: running PreBind plugin "VolumeBinding": '),
    ])
    expect(await failures(cluster)).toEqual({ bind: 1 })
    expect(cluster.view.stats()).toMatchObject({ assumedObjects: 0, assumed: 0 })
    await cluster.deletePod('db-1')
    writes.status = undefined
    await cluster.createClaim('two')
    await cluster.createPodWith('db-2', 'two')
    await cluster.settle()
    expect((await cluster.claim('two')).spec.volumeName).toBe('only')
  })

  test('places the pod that wanted the volume of a pod which permit rejects', async () => {
    const gate: BerthPlugin = {
      kind: 'scheduling',
      apiVersion: 'berth.dev/v1',
      name: 'gate',
      description: 'Delays the pods of the first claim until the timeout rejects them.',
      argsSchema: z.strictObject({}),
      create: () => ({
        permit: (pod) => (pod.metadata.name === 'db-1' ? { kind: 'wait', timeoutMs: 5_000 } : undefined),
      }),
    }
    const config = profile('plugins: { multiPoint: { enabled: [{ name: gate }] } }')
    await using cluster = await startVolumeCluster({ plugins: [gate], config })
    await cluster.createClass('local')
    await cluster.createVolume('only', 'node-a')
    await cluster.createClaim('one')
    await cluster.createClaim('two')
    await cluster.createPodWith('db-1', 'one')
    await cluster.settle()
    await cluster.createPodWith('db-2', 'two')
    await cluster.clock.advance(4_000)
    expect(cluster.scheduler.counts()).toMatchObject({ inFlight: 1, unschedulable: 1 })
    await cluster.clock.advance(4_000)
    expect(await cluster.nodeOf('db-2')).toBe('node-a')
    expect((await cluster.claim('two')).spec.volumeName).toBe('only')
    expect(await cluster.nodeOf('db-1')).toBeUndefined()
  })

  test('counts an attempt in which the filter failed', async () => {
    await using cluster = await startVolumeCluster()
    await cluster.createClass('local')
    await cluster.createClaim('data', { selector: { matchExpressions: [{ key: 'disk', operator: 'Near' }] } })
    await cluster.createPodWith('db', 'data')
    await cluster.settle()
    expect(await cluster.events('db')).toEqual([
      expect.stringContaining('FailedScheduling: running Filter plugin "VolumeBinding": '),
    ])
    expect(await failures(cluster)).toEqual({ predicate: 1 })
  })

  test('keeps the volume for the second pod of a claim when the first one is rejected', async () => {
    const permitted = Promise.withResolvers<undefined>()
    const gate: BerthPlugin = {
      kind: 'scheduling',
      apiVersion: 'berth.dev/v1',
      name: 'gate',
      description: 'Rejects the first pod of a claim, and delays the second one.',
      argsSchema: z.strictObject({}),
      create: () => ({
        permit(pod) {
          if (pod.metadata.name === 'db-1') return { kind: 'wait', timeoutMs: 5_000 }
          return pod.metadata.name === 'db-2' ? permitted.promise : undefined
        },
      }),
    }
    const writes = volumeWrites()
    const config = profile('plugins: { multiPoint: { enabled: [{ name: gate }] } }')
    await using cluster = await startVolumeCluster({ plugins: [gate], config, intercept: writes.intercept })
    await cluster.createClass('local')
    await cluster.createVolume('only', 'node-a')
    await cluster.createClaim('shared')
    await cluster.createClaim('other')
    for (const name of ['db-1', 'db-2']) {
      await cluster.createPodWith(name, 'shared')
      await cluster.settle()
    }
    await cluster.clock.advance(5_000)
    await cluster.deletePod('db-1')
    // The volume is not free, because the second pod counts on it.
    await cluster.createPodWith('db-3', 'other')
    await cluster.clock.advance(2_000)
    expect(await cluster.nodeOf('db-3')).toBeUndefined()
    permitted.resolve(undefined)
    await cluster.settle()
    expect(await cluster.nodeOf('db-2')).toBe('node-a')
    expect((await cluster.claim('shared')).spec.volumeName).toBe('only')
    expect(writes.count).toBe(1)
    expect(await cluster.events('db-2')).toEqual([expect.stringContaining('Scheduled')])
    expect(cluster.view.stats().assumedObjects).toBe(0)
  })

  test.for([
    { kind: 'volume', className: 'local' },
    { kind: 'claim', className: 'fast' },
  ])('writes the $kind once for two pods of one claim that are placed together', async ({ className }) => {
    const writes = volumeWrites()
    const answered = Promise.withResolvers<undefined>()
    const intercept = (handle: ApiHandler): ApiHandler =>
      writes.intercept(async (request) => {
        if (request.method === 'PATCH' && request.path.includes('/persistentvolume')) await answered.promise
        return handle(request)
      })
    await using cluster = await startVolumeCluster({ intercept })
    await cluster.createClass('local')
    await cluster.createClass('fast', { provisioner })
    await cluster.createVolume('only', 'node-a')
    await cluster.createClaim('shared', { className })
    await cluster.settle()
    await Promise.all(['db-1', 'db-2'].map((name) => cluster.createPodWith(name, 'shared')))
    await cluster.settle()
    expect(cluster.view.stats()).toMatchObject({ assumed: 2 })
    answered.resolve(undefined)
    await cluster.settle()
    if (className === 'fast') await cluster.provision('shared')
    await cluster.settle()
    expect(writes.count).toBe(1)
    for (const name of ['db-1', 'db-2']) {
      expect(await cluster.nodeOf(name)).toMatch(/^node-/)
      expect(await cluster.events(name)).toEqual([expect.stringContaining('Scheduled')])
    }
  })

  test('lets the second pod of a claim write the volume when the write of the first one failed', async () => {
    const writes = volumeWrites()
    await using cluster = await startVolumeCluster({
      intercept: (handle) => {
        const failing = writes.intercept(handle)
        return (request) => {
          writes.status = request.path.includes('/persistentvolume') && writes.count === 0 ? 403 : undefined
          return failing(request)
        }
      },
    })
    await cluster.createClass('local')
    await cluster.createVolume('only', 'node-a')
    await cluster.createClaim('shared')
    await cluster.settle()
    await Promise.all(['db-1', 'db-2'].map((name) => cluster.createPodWith(name, 'shared')))
    await cluster.settle()
    expect(writes.count).toBe(2)
    expect((await cluster.claim('shared')).spec.volumeName).toBe('only')
    await cluster.clock.advance(5_000)
    for (const name of ['db-1', 'db-2']) expect(await cluster.nodeOf(name)).toBe('node-a')
  })

  test('writes nothing once another replica may schedule', async () => {
    const writes = volumeWrites()
    let mayWrite = true
    await using cluster = await startVolumeCluster({ intercept: writes.intercept, mayWrite: () => mayWrite })
    await cluster.createClass('local')
    await cluster.createVolume('only', 'node-a')
    await cluster.createClaim('data')
    await cluster.settle()
    mayWrite = false
    await cluster.createPodWith('db', 'data')
    await cluster.settle()
    expect(writes.count).toBe(0)
    expect(cluster.view.stats().assumedObjects).toBe(0)
  })
})

/** Starts a cluster with a pod whose volume is to be provisioned. */
async function startWithFast(options: TestClusterOptions = {}): Promise<VolumeCluster> {
  const cluster = await startVolumeCluster(options)
  await cluster.createClass('fast', { provisioner })
  await cluster.createClaim('data', { className: 'fast' })
  await cluster.createPodWith('db', 'data')
  return cluster
}

describe('provisioned volumes', () => {
  test('selects a node, and binds the pod when the provisioner has created the volume', async () => {
    await using cluster = await startWithFast()
    await cluster.settle()
    const selected = (await cluster.claim('data')).metadata.annotations?.[SELECTED_NODE]
    expect(['node-a', 'node-b']).toContain(selected)
    expect(await cluster.nodeOf('db')).toBeUndefined()
    await cluster.provision('data')
    await cluster.settle()
    expect(await cluster.nodeOf('db')).toBe(selected)
    expect(cluster.view.stats().assumedObjects).toBe(0)
  })

  test('places other pods while a pod waits for its volume', async () => {
    await using cluster = await startVolumeCluster()
    await cluster.createClass('fast', { provisioner })
    await cluster.createClaim('one', { className: 'fast' })
    await cluster.createPodWith('waits', 'one')
    await cluster.settle()
    expect((await cluster.claim('one')).metadata.annotations?.[SELECTED_NODE]).toBeDefined()
    await cluster.createPod('other')
    await cluster.settle()
    expect(await cluster.nodeOf('other')).toBeDefined()
    expect(await cluster.nodeOf('waits')).toBeUndefined()
  })

  test('schedules the pod again when provisioning fails', async () => {
    await using cluster = await startWithFast()
    await cluster.settle()
    await cluster.failProvisioning('data')
    await cluster.settle()
    expect(await cluster.events('db')).toEqual([
      'FailedScheduling: running PreBind plugin "VolumeBinding": binding volumes: selectedNode annotation reset for PVC "data"',
    ])
    expect(await cluster.nodeOf('db')).toBeUndefined()
    await cluster.clock.advance(3_000)
    const selected = (await cluster.claim('data')).metadata.annotations?.[SELECTED_NODE]
    expect(selected).toBeDefined()
    await cluster.provision('data')
    await cluster.settle()
    expect(await cluster.nodeOf('db')).toBe(selected)
  })

  test('retries the pod on the selected node when the binding takes too long', async () => {
    await using cluster = await startWithFast({ config: bindTimeout(5) })
    await cluster.clock.advance(4_000)
    expect(await cluster.events('db')).toEqual([])
    await cluster.clock.advance(2_000)
    expect((await cluster.events('db'))[0]).toContain('binding volumes: context deadline exceeded')
    expect(await failures(cluster)).toEqual({ bind: 1 })
    const selected = (await cluster.claim('data')).metadata.annotations?.[SELECTED_NODE]
    await cluster.clock.advance(2_000)
    await cluster.provision('data')
    await cluster.settle()
    expect(await cluster.nodeOf('db')).toBe(selected)
  })

  test('stops waiting when the pod is deleted, and gives its room back', async () => {
    await using cluster = await startWithFast()
    await cluster.settle()
    expect(cluster.view.stats().assumed).toBe(1)
    await cluster.deletePod('db')
    await cluster.settle()
    expect(cluster.view.stats()).toMatchObject({ assumed: 0, assumedObjects: 0 })
    expect(cluster.scheduler.counts()).toMatchObject({ inFlight: 0, backoff: 0, unschedulable: 0 })
  })

  test('schedules the pod again when its node is deleted', async () => {
    await using cluster = await startWithFast()
    await cluster.settle()
    const selected = (await cluster.claim('data')).metadata.annotations?.[SELECTED_NODE] ?? ''
    await cluster.admin.client.delete(resourceRefs.nodes, { name: selected })
    await cluster.settle()
    expect((await cluster.events('db'))[0]).toContain(`failed to get node "${selected}"`)
    await cluster.failProvisioning('data')
    await cluster.clock.advance(15_000)
    await cluster.provision('data')
    await cluster.settle()
    expect(['node-a', 'node-b'].filter((name) => name !== selected)).toEqual([await cluster.nodeOf('db')])
  })

  test('schedules the pod again when its claim is deleted while it waits, and with the new claim of that name', async () => {
    await using cluster = await startWithFast()
    await cluster.settle()
    await cluster.admin.client.delete(resourceRefs.persistentVolumeClaims, { namespace: 'default', name: 'data' })
    await cluster.settle()
    expect((await cluster.events('db'))[0]).toContain(
      'failed to check provisioning pvc: persistentvolumeclaims "default/data" not found',
    )
    expect(cluster.view.stats()).toMatchObject({ assumed: 0, assumedObjects: 0 })
    await cluster.clock.advance(3_000)
    expect((await cluster.events('db')).join()).toContain('persistentvolumeclaim "data" not found')
    await cluster.createClaim('data', { className: 'fast' })
    await cluster.clock.advance(15_000)
    await cluster.provision('data')
    await cluster.settle()
    expect(await cluster.nodeOf('db')).toBeDefined()
  })

  test('places the pod on the node of the volume to which its claim is bound while it waits', async () => {
    await using cluster = await startWithFast()
    await cluster.settle()
    const owner = await cluster.claim('data')
    const selected = owner.metadata.annotations?.[SELECTED_NODE] ?? ''
    const other = selected === 'node-a' ? 'node-b' : 'node-a'
    await cluster.createVolume('elsewhere', other, { className: 'fast', claim: owner })
    await cluster.settle()
    expect((await cluster.events('db'))[0]).toContain(`pv "elsewhere" node affinity doesn't match node "${selected}"`)
    await cluster.clock.advance(15_000)
    expect(await cluster.nodeOf('db')).toBe(other)
    expect((await cluster.claim('data')).spec.volumeName).toBe('elsewhere')
  })

  test('binds two pods that share a claim to the node of its volume', async () => {
    await using cluster = await startWithFast()
    await cluster.createPodWith('db-2', 'data')
    await cluster.settle()
    const selected = (await cluster.claim('data')).metadata.annotations?.[SELECTED_NODE]
    expect(cluster.view.stats().assumed).toBe(2)
    await cluster.provision('data')
    await cluster.settle()
    expect([await cluster.nodeOf('db'), await cluster.nodeOf('db-2')]).toEqual([selected, selected])
    expect(cluster.view.stats().assumedObjects).toBe(0)
  })

  test('keeps the second pod of a ReadWriteOncePod claim waiting until the first one is gone', async () => {
    await using cluster = await startVolumeCluster()
    await cluster.createClass('fast', { provisioner })
    await cluster.createClaim('data', { className: 'fast', accessModes: ['ReadWriteOncePod'] })
    await cluster.createPodWith('first', 'data')
    await cluster.settle()
    await cluster.createPodWith('second', 'data')
    await cluster.settle()
    // The first pod counts as soon as it is assumed, although its volume does not exist yet.
    expect(await cluster.events('second')).toEqual([expect.stringContaining('ReadWriteOncePod access mode already')])
    await cluster.provision('data')
    await cluster.settle()
    expect(await cluster.nodeOf('first')).toBeDefined()
    expect(await cluster.nodeOf('second')).toBeUndefined()
    await cluster.deletePod('first')
    await cluster.clock.advance(15_000)
    expect(await cluster.nodeOf('second')).toBeDefined()
  })

  test('waits for the claim of an ephemeral volume, and refuses one that belongs to another pod', async () => {
    await using cluster = await startVolumeCluster()
    await cluster.createClass('fast', { provisioner })
    const volumeClaimTemplate = { spec: {} }
    const volumes = [{ name: 'tmp', ephemeral: { volumeClaimTemplate } }]
    const pods = await Promise.all(['db', 'web'].map((name) => cluster.createPod(name, { spec: { volumes } })))
    await cluster.settle()
    expect((await cluster.events('db'))[0]).toContain(
      'waiting for ephemeral volume controller to create the persistentvolumeclaim "db-tmp"',
    )
    for (const name of ['db-tmp', 'web-tmp'])
      await cluster.createClaim(name, { className: 'fast', owner: pods[0] as Pod })
    await cluster.clock.advance(15_000)
    await cluster.provision('db-tmp')
    await cluster.settle()
    expect(await cluster.nodeOf('db')).toBeDefined()
    expect(await cluster.nodeOf('web')).toBeUndefined()
    expect((await cluster.events('web')).join()).toContain(
      'PVC default/web-tmp was not created for pod default/web (pod is not owner)',
    )
  })

  test('finishes the binding of a scheduler that was stopped in the middle', async () => {
    await using first = await startWithFast()
    await first.settle()
    const selected = (await first.claim('data')).metadata.annotations?.[SELECTED_NODE]
    await first.stop()
    await first.scheduler[Symbol.asyncDispose]()
    expect(await first.nodeOf('db')).toBeUndefined()
    await using second = await startVolumeCluster({ joins: first })
    await second.settle()
    expect(await second.nodeOf('db')).toBeUndefined()
    await second.provision('data')
    await second.settle()
    expect(await second.nodeOf('db')).toBe(selected)
  })
})
