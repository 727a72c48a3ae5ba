import { createFramework, defaultPlugins } from '@berth/fit-engine'
import { resourceRefs } from '@berth/k8s-client'
import { defineSchedulingPlugin } from '@berth/plugin-api'
import type { Pod } from '@berth/types'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { assumeMembers } from '../src/groups/assume-members.ts'
import { stateVersion } from '../src/cycle/state-version.ts'
import { assumeError } from '../src/volumes/volume-error.ts'
import type { VolumeBinder } from '../src/volumes/volume-binder.ts'
import { boundPods, createGang, memberOf, NATIVE, servePodGroups } from './pod-group-cluster.ts'
import { eventually, startScriptedExtender } from './scripted-extender.ts'
import { startTestCluster } from './test-cluster.ts'
import { SELECTED_NODE, startVolumeCluster, type VolumeCluster } from './volume-cluster.ts'

const DONGLE = 'example.com/dongle'
const RARE = 'example.com/rare'
const one = { [DONGLE]: '1' }

const withExtender = (url: string): string => `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{ schedulerName: berth-scheduler }]
extenders:
  - urlPrefix: ${url}
    nodeCacheCapable: true
    filterVerb: filter
    managedResources: [{ name: ${DONGLE} }]
`

async function bindTo(cluster: Pick<VolumeCluster, 'admin'>, name: string, nodeName: string): Promise<void> {
  await cluster.admin.client.create<Pod>(resourceRefs.pods, {
    metadata: { name, namespace: 'default' },
    spec: {
      nodeName,
      schedulerName: 'other',
      containers: [{ name: 'main', image: 'busybox', resources: { requests: one, limits: one } }],
    },
  })
}

test('binds no member of a gang when another pod takes its room between its plan and its assumption', async () => {
  await using extender = await startScriptedExtender(async ({ body }) => {
    if (extender.calls.length === 2) {
      await bindTo(cluster, 'other', 'node-a')
      await cluster.settle()
    }
    return { NodeNames: body['NodeNames'] }
  })
  await using cluster = await startTestCluster({ config: withExtender(extender.url) })
  await servePodGroups(cluster, NATIVE)
  await cluster.createNode('node-a', { [DONGLE]: '2' })
  await createGang(cluster, NATIVE, 'train', 2)
  for (const name of ['train-0', 'train-1']) {
    await cluster.createPod(name, { requests: one, spec: memberOf('train') })
  }
  const parked = await eventually(
    cluster,
    async () => cluster.scheduler.counts().unschedulable,
    (count) => count === 2,
  )
  expect(parked).toBe(2)
  // The first plan called the extender for both members, the second one for the member that still fits.
  expect(extender.calls).toHaveLength(3)
  expect(await boundPods(cluster)).toEqual(['other on node-a'])
  expect(cluster.view.stats()).toMatchObject({ assumed: 0 })
  await cluster.deletePod('other')
  await cluster.clock.advance(2_000)
  const bound = await eventually(
    cluster,
    () => boundPods(cluster),
    ({ length }) => length === 2,
  )
  expect(bound).toEqual(['train-0 on node-a', 'train-1 on node-a'])
})

test('retries the members of a gang when a member was created while an extender was called for them', async () => {
  const reply = Promise.withResolvers<undefined>()
  await using extender = await startScriptedExtender(async ({ body }) => {
    await reply.promise
    return { NodeNames: body['NodeNames'] }
  })
  await using cluster = await startTestCluster({ config: withExtender(extender.url) })
  await servePodGroups(cluster, NATIVE)
  await cluster.createNode('node-a', { [DONGLE]: '2' })
  await createGang(cluster, NATIVE, 'train', 2)
  await cluster.createPod('train-0', { requests: one, spec: memberOf('train') })
  await cluster.createPod('train-1', { requests: { [RARE]: '1' }, spec: memberOf('train') })
  await eventually(cluster, async () => extender.calls.length, Boolean)
  // The extender is not interested in this member, so it is attempted at once, without the others.
  await cluster.createPod('train-2', { spec: memberOf('train') })
  await cluster.settle()
  expect(cluster.scheduler.counts()).toMatchObject({ inFlight: 2, unschedulable: 1 })
  reply.resolve(undefined)
  await eventually(
    cluster,
    async () => cluster.scheduler.counts().inFlight,
    (count) => count === 0,
  )
  await cluster.clock.advance(3_000)
  const bound = await eventually(
    cluster,
    () => boundPods(cluster),
    ({ length }) => length === 2,
  )
  expect(bound).toEqual(['train-0 on node-a', 'train-2 on node-a'])
})

async function createMemberWith(cluster: VolumeCluster, name: string, claimName: string): Promise<void> {
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName } }]
  await cluster.createPod(name, { requests: one, spec: { ...memberOf('train'), volumes } })
}

test('binds a gang with claims that wait for their first consumer only when each member gets a volume', async () => {
  await using extender = await startScriptedExtender(({ body }) => ({ NodeNames: body['NodeNames'] }))
  await using cluster = await startVolumeCluster({ config: withExtender(extender.url) })
  await servePodGroups(cluster, NATIVE)
  await cluster.createNode('node-c', { [DONGLE]: '2' }, { labels: { 'kubernetes.io/hostname': 'node-c' } })
  await cluster.createClass('local')
  await cluster.createVolume('first', 'node-c')
  await createGang(cluster, NATIVE, 'train', 2)
  for (const i of [0, 1]) {
    await cluster.createClaim(`data-${i}`)
    await createMemberWith(cluster, `train-${i}`, `data-${i}`)
  }
  await eventually(
    cluster,
    async () => cluster.scheduler.counts().unschedulable,
    (count) => count === 2,
  )
  expect(await boundPods(cluster)).toEqual([])
  expect((await cluster.volume('first')).spec.claimRef).toBeUndefined()
  expect(cluster.view.stats()).toMatchObject({ assumed: 0, assumedObjects: 0 })
  await cluster.createVolume('second', 'node-c')
  await cluster.clock.advance(3_000)
  const bound = await eventually(
    cluster,
    () => boundPods(cluster),
    ({ length }) => length === 2,
  )
  expect(bound).toEqual(['train-0 on node-c', 'train-1 on node-c'])
  const claims = await Promise.all(['data-0', 'data-1'].map((name) => cluster.claim(name)))
  expect(new Set(claims.map(({ spec }) => spec.volumeName))).toEqual(new Set(['first', 'second']))
  expect(cluster.view.stats()).toMatchObject({ assumedObjects: 0 })
})

test('assumes no member of a gang when the volumes of one are no longer free, and keeps the nominations', async () => {
  await using cluster = await startTestCluster()
  await cluster.stop()
  await cluster.createNode('node-a', { [DONGLE]: '2' })
  const pods = [await cluster.createPod('train-0', { requests: one }), await cluster.createPod('train-1')]
  await cluster.settle()
  const { view, clock } = cluster
  for (const pod of pods) view.nominate(pod, 'node-a')
  const released: string[] = []
  const volumes: VolumeBinder = {
    reserve(pod) {
      if (pod.metadata.name === 'train-1') throw assumeError('node-a')
    },
    release: (pod) => void released.push(pod.metadata.name ?? ''),
    bind: () => Promise.resolve(),
    settle: () => {},
    close: () => {},
  }
  const assumedNodes = new Map<string, string>()
  const framework = createFramework({ plugins: defaultPlugins() })
  const plan = {
    version: stateVersion(view.state),
    placed: pods.map((pod) => ({
      nodeName: 'node-a',
      attempt: { info: { pod, key: pod.metadata.uid }, pod, profile: { framework } },
    })) as never,
  }
  expect(() => assumeMembers(plan, { view, volumes, assumedNodes, clock, random: () => 0 })).toThrow(
    'the volumes for node node-a changed',
  )
  expect([view.stats().assumed, assumedNodes.size, released]).toEqual([0, 0, ['train-0']])
  expect(pods.map((pod) => view.nominatedNode(pod))).toEqual(['node-a', 'node-a'])
})

test('selects no node for the volume of a member before the gang has gathered, and then binds the others at once', async () => {
  let isSlow = true
  const slow = defineSchedulingPlugin({
    apiVersion: 'berth.dev/v1',
    name: 'slow',
    description: 'A test.',
    argsSchema: z.strictObject({}),
    create: () => ({
      permit: (pod) => (isSlow && pod.metadata.name === 'train-0' ? { kind: 'wait', timeoutMs: 60_000 } : undefined),
    }),
  })
  const config =
    'profiles: [{ schedulerName: berth-scheduler, plugins: { multiPoint: { enabled: [{ name: slow }] } } }]'
  await using cluster = await startVolumeCluster({ config, plugins: [slow] })
  await servePodGroups(cluster, NATIVE)
  await cluster.createNode('node-c', { [DONGLE]: '2' }, { labels: { 'kubernetes.io/hostname': 'node-c' } })
  await cluster.createClass('fast', { provisioner: 'disk.example.com' })
  await cluster.createClaim('data', { className: 'fast' })
  await createGang(cluster, NATIVE, 'train', 2)
  // The embedded controllers taint the nodes, which have no kubelet, after a while.
  const spec = { ...memberOf('train'), tolerations: [{ operator: 'Exists' }] }
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }]
  await cluster.createPod('train-0', { requests: one, spec })
  await cluster.createPod('train-1', { requests: one, spec: { ...spec, volumes } })
  await cluster.settle()
  expect(cluster.view.stats()).toMatchObject({ assumed: 2 })
  // The plugin does not allow train-0 in time, so the gang does not gather.
  isSlow = false
  await cluster.clock.advance(59_000)
  expect((await cluster.claim('data')).metadata.annotations?.[SELECTED_NODE]).toBeUndefined()
  await cluster.clock.advance(1_000)
  expect(cluster.view.stats()).toMatchObject({ assumed: 0 })
  await cluster.clock.advance(12_000)
  expect(await boundPods(cluster)).toEqual(['train-0 on node-c'])
  await cluster.provision('data')
  await cluster.clock.advance(5_000)
  expect(await boundPods(cluster)).toEqual(['train-0 on node-c', 'train-1 on node-c'])
})
