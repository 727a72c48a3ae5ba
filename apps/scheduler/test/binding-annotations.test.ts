import { builtInPolicies } from '@berth/built-in-plugins'
import { type BerthPlugin, defineSchedulingPlugin } from '@berth/plugin-api'
import { createFaultInjector } from '@berth/simulator/testing'
import { resourceRefs } from '@berth/k8s-client'
import type { ApiRequest } from '@berth/types'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createGang, createMembers, NATIVE, servePodGroups } from './pod-group-cluster.ts'
import { eventually, startScriptedExtender } from './scripted-extender.ts'
import { startTestCluster, type TestCluster } from './test-cluster.ts'

const SLICE = 'berth.dev/gpu-slice'
const DEVICE = `${SLICE}-device`
const four = { requests: { [SLICE]: '4' } }

/** A profile in which devices have four slices, so that each pod of four takes a whole one. */
const configWith = (more = ''): string => `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
  - schedulerName: berth-scheduler
    plugins: { multiPoint: { enabled: [{ name: device-slices }, { name: witness }] } }
    pluginConfig: [{ name: device-slices, args: { resource: ${SLICE}, slicesPerDevice: 4 } }]
${more}`

/** Returns a plugin that notes the device that the reserve hook sees on each pod. */
function createWitness(seen: string[]): BerthPlugin {
  return defineSchedulingPlugin({
    apiVersion: 'berth.dev/v1',
    name: 'witness',
    description: 'Notes the device of each pod.',
    argsSchema: z.strictObject({}),
    create: () => ({
      reserve: (pod) => void seen.push(pod.metadata.annotations?.[DEVICE] ?? 'none'),
      unreserve: () => undefined,
    }),
  })
}

const pluginsWith = (seen: string[] = []): readonly BerthPlugin[] => [...builtInPolicies, createWitness(seen)]

async function devicesOf(cluster: TestCluster, ...names: readonly string[]): Promise<readonly (string | undefined)[]> {
  const pods = await Promise.all(names.map((name) => cluster.pod(name)))
  return pods.map(({ metadata }) => metadata.annotations?.[DEVICE])
}

test('effect hooks see the annotations of the binding, and the pod has them once it is bound', async () => {
  const seen: string[] = []
  await using cluster = await startTestCluster({ config: configWith(), plugins: pluginsWith(seen) })
  await cluster.createNode('node-a', { [SLICE]: '8' })
  for (const name of ['first', 'second']) await cluster.createPod(name, four)
  await cluster.settle()
  expect(await devicesOf(cluster, 'first', 'second')).toEqual(['0', '1'])
  expect(seen).toEqual(['0', '1'])
})

test('a pod that named its own device before has the one that it counts on, although it changes before the Binding arrives', async () => {
  let cluster: TestCluster | undefined
  const changeFirst = async ({ path }: ApiRequest): Promise<void> => {
    if (!path.endsWith('/first/binding')) return
    const change = { metadata: { annotations: { [DEVICE]: '1' } } }
    await cluster?.admin.client.patch(resourceRefs.pods, { namespace: 'default', name: 'first' }, change, {
      type: 'merge',
    })
  }
  await using running = await startTestCluster({
    config: configWith(),
    plugins: pluginsWith(),
    intercept: (handle) => (request) => changeFirst(request).then(() => handle(request)),
  })
  cluster = running
  await cluster.createNode('node-a', { [SLICE]: '8' })
  await cluster.createPod('first', { ...four, annotations: { [DEVICE]: '0' } })
  await cluster.createPod('second', four)
  await cluster.settle()
  expect(await devicesOf(cluster, 'first', 'second')).toEqual(['0', '1'])
})

test('a pod keeps its device when the response to its binding is lost', async () => {
  let faults: ReturnType<typeof createFaultInjector> | undefined
  await using cluster = await startTestCluster({
    config: configWith(),
    plugins: pluginsWith(),
    intercept: (handle) => (request) => (faults === undefined ? handle(request) : faults.wrap(handle)(request)),
  })
  faults = createFaultInjector({ clock: cluster.clock, random: () => 0 })
  const matches = ({ path }: ApiRequest): boolean => path.endsWith('/binding')
  faults.add({ name: 'lost', matches, times: 1, fault: { kind: 'drop', afterEffect: true } })
  await cluster.createNode('node-a', { [SLICE]: '8' })
  await cluster.createPod('first', four)
  await cluster.createPod('second', four)
  await cluster.clock.advance(5_000)
  expect(await devicesOf(cluster, 'first', 'second')).toEqual(['0', '1'])
  expect(faults.counts()).toEqual(new Map([['lost', 1]]))
})

test('the members of a gang get different devices, and a gang for which too few devices are free waits', async () => {
  await using cluster = await startTestCluster({ config: configWith(), plugins: pluginsWith() })
  await servePodGroups(cluster, NATIVE)
  await cluster.createNode('node-a', { [SLICE]: '8' })
  await createGang(cluster, NATIVE, 'train', 2)
  await createMembers(cluster, 'train', 2, four)
  await cluster.clock.advance(2_000)
  const devices = await devicesOf(cluster, 'train-0', 'train-1')
  expect(new Set(devices)).toEqual(new Set(['0', '1']))
  await createGang(cluster, NATIVE, 'late', 2)
  await createMembers(cluster, 'late', 2, four)
  await cluster.clock.advance(2_000)
  expect(await devicesOf(cluster, 'late-0', 'late-1')).toEqual([undefined, undefined])
})

test('refuses to let an extender bind a pod whose annotations it would not write', async () => {
  await using extender = await startScriptedExtender(() => ({ NodeNames: ['node-a'] }))
  const extenders = `extenders: [{ urlPrefix: '${extender.url}', bindVerb: bind, nodeCacheCapable: true }]`
  await using cluster = await startTestCluster({ config: configWith(extenders), plugins: pluginsWith() })
  await cluster.createNode('node-a', { [SLICE]: '8' })
  await cluster.createPod('first', four)
  const read = async (): Promise<string | undefined> => (await cluster.pod('first')).status?.conditions?.[0]?.message
  expect(await eventually(cluster, read, (message) => message !== undefined)).toContain(
    `extender ${extender.url} binds it and would not write the annotations ${DEVICE}`,
  )
  expect(extender.calls).toEqual([])
})
