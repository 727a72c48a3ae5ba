import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { resourceRefs } from '@berth/k8s-client'
import { defineSchedulingPlugin } from '@berth/plugin-api'
import type { Event, Pod } from '@berth/types'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { hungConditionType, hungPlugins } from '../src/watchdog/hung-condition.ts'
import { recordHang } from '../src/watchdog/watchdog.ts'
import { startApi, startScheduler } from './served-api.ts'
import { startTestCluster } from './test-cluster.ts'

const target = (name: string) => ({ namespace: 'default', name })

const plugin = `
import { z } from 'zod'
export const plugin = {
  kind: 'scheduling',
  apiVersion: 'berth.dev/v1',
  name: 'loop',
  description: 'Does not return for pods that are named bad.',
  argsSchema: z.strictObject({}),
  create: () => ({
    filter(pod) {
      while (pod.metadata.name === 'bad');
    },
  }),
}
`
const config = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: { leaseDuration: 6s, renewDeadline: 4s, retryPeriod: 500ms }
profiles: [{ schedulerName: berth-scheduler, plugins: { filter: { enabled: [{ name: loop }] } } }]
`

test('ends a process whose plugin does not return, and another replica sets the pod aside', async () => {
  await using api = await startApi()
  const dir = join(api.dir, 'plugins')
  mkdirSync(dir)
  writeFileSync(join(dir, 'loop.mjs'), plugin)
  writeFileSync(join(api.dir, 'scheduler.yaml'), config)
  const files = ['--kubeconfig', api.kubeconfig, '--config', join(api.dir, 'scheduler.yaml'), '--plugin-dir', dir]
  const argv = [...files, '--health-address', '127.0.0.1:0', '--log-level', 'debug']
  const first = startScheduler(argv)
  await first.line('Scheduling')
  const second = startScheduler(argv)
  const create = (name: string): Promise<Pod> =>
    api.admin.client.create<Pod>(resourceRefs.pods, {
      metadata: target(name),
      spec: { schedulerName: 'berth-scheduler', containers: [{ name: 'main', image: 'busybox' }] },
    })
  await create('bad')
  expect(await first.line('A hook of a plugin did not return, and the process ends')).toMatchObject({
    plugin: 'loop',
    hook: 'filter',
    pod: 'default/bad',
  })
  expect((await first.ended).code).not.toBe(0)
  await create('good')
  expect(await second.line('Pod does not fit')).toMatchObject({
    pod: 'default/bad',
    reason: expect.stringContaining('plugin loop did not return for this pod') as string,
  })
  expect(await second.line('Pod bound')).toMatchObject({ pod: 'default/good' })
  const bad = await api.admin.client.get<Pod>(resourceRefs.pods, target('bad'))
  expect(bad.status?.conditions).toContainEqual(
    expect.objectContaining({ type: hungConditionType('loop'), status: 'True', reason: 'PluginHung' }),
  )
  second.child.kill('SIGTERM')
  await second.ended
})

test('records the plugin at the pod and in an event, and nothing for a pod that is gone', async () => {
  await using cluster = await startTestCluster()
  const { metadata } = await cluster.createPod('bad', { schedulerName: 'other' })
  const hung = { plugin: 'loop', hook: 'filter', namespace: 'default', pod: 'bad', uid: metadata.uid ?? '' }
  const options = { hangMs: 5_000, clock: cluster.clock, signal: new AbortController().signal }
  await recordHang(cluster.admin.client, hung, options)
  const message = `filter of plugin loop did not return within 5000 ms. The pod is not scheduled with this plugin until the condition ${hungConditionType('loop')} is removed.`
  expect((await cluster.pod('bad')).status?.conditions).toMatchObject([{ reason: 'PluginHung', message }])
  expect(await cluster.events('bad')).toEqual([`PluginHung: ${message}`])
  await recordHang(cluster.admin.client, { ...hung, pod: 'gone' }, options)
  const { items } = await cluster.admin.client.list<Event>(resourceRefs.events)
  expect(items).toHaveLength(1)
})

test('sets a pod aside only while its profile has the plugin and the pod has the condition', async () => {
  const calledForHungPod: string[] = []
  const note = <T>(hook: string, pod: Pod, result: T): T => {
    if (hungPlugins(pod).length > 0) calledForHungPod.push(hook)
    return result
  }
  const loop = defineSchedulingPlugin({
    apiVersion: 'berth.dev/v1',
    name: 'loop',
    description: 'Accepts every node.',
    argsSchema: z.strictObject({}),
    create: () => ({
      preEnqueue: (pod) => note('preEnqueue', pod, undefined),
      filter: (pod) => note('filter', pod, undefined),
      queueingHint: (pod) => note('queueingHint', pod, true),
    }),
  })
  const profiles = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
  - { schedulerName: with-plugin, plugins: { multiPoint: { enabled: [{ name: loop }] } } }
  - { schedulerName: without-plugin }
`
  await using cluster = await startTestCluster({ config: profiles, plugins: [loop] })
  const type = hungConditionType('loop')
  const write = async (name: string, status: 'True' | 'False'): Promise<void> => {
    const body = { status: { conditions: [{ type, status }] } }
    await cluster.admin.client.patch(resourceRefs.pods, target(name), body, {
      type: 'strategic',
      subresource: 'status',
    })
  }
  for (const schedulerName of ['with-plugin', 'without-plugin']) {
    await cluster.createPod(schedulerName, { schedulerName })
    await write(schedulerName, 'True')
  }
  await cluster.createNode('node-a', {})
  await cluster.clock.advance(20_000)
  expect((await cluster.pod('without-plugin')).spec.nodeName).toBe('node-a')
  expect((await cluster.pod('with-plugin')).spec.nodeName).toBeUndefined()
  expect(await cluster.events('with-plugin')).toContainEqual(
    expect.stringContaining('plugin loop did not return for this pod: fix the plugin, then remove the condition'),
  )
  expect(calledForHungPod).toEqual([])
  await write('with-plugin', 'False')
  await cluster.createNode('node-b', {})
  await cluster.clock.advance(12_000)
  expect((await cluster.pod('with-plugin')).spec.nodeName).toBeDefined()
})
