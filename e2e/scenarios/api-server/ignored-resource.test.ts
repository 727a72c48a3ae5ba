import { resourceRefs, type Cluster } from '@berth/k8s-client'
import { eventually } from '@berth/testing'
import type { KubernetesObject, Node, Pod, PodSpec } from '@berth/types'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectQuietly } from '../../cluster/connect-with-kubeconfig.ts'
import { toStoredObject } from '../../real-api-server/large-cluster.ts'
import { startRealApiServer } from '../../real-api-server/real-api-server.ts'
import { createAuthority } from '../../real-scheduler/certificates.ts'
import { type ExtenderProcess, startExtender } from '../../real-scheduler/extender-process.ts'
import { startKubeScheduler } from '../../real-scheduler/kube-scheduler.ts'
import { createRetrySignalObject } from '../../real-scheduler/retry-signal-object.ts'

const LICENCE = 'example.com/licence'
/** A resource that kube-scheduler counts, too. */
const SEAT = 'example.com/seat'
/** Names of kube-schedulers: one calls the extender, one ignores the resource without an extender, and one counts it. */
const [withExtender, ignoring, counting] = ['default-scheduler', 'ignoring', 'counting'] as const

interface EventOfPod extends KubernetesObject {
  readonly regarding?: { readonly name?: string }
  readonly reason?: string
  readonly note?: string
}

describe('a resource that a real kube-scheduler ignores, and that the extender counts and binds', () => {
  const parts = new AsyncDisposableStack()
  let cluster: Cluster
  let extender: ExtenderProcess

  const inDefault = (name: string) => ({ namespace: 'default', name })
  const until = <T>(what: string, look: () => Promise<T | undefined>): Promise<T> =>
    eventually(look, { what, timeoutMs: 120_000, signal: new AbortController().signal })
  const find = (name: string): Promise<Pod | undefined> => cluster.client.find<Pod>(resourceRefs.pods, inDefault(name))
  const untilBound = (name: string): Promise<string> =>
    until(`${name} to be bound`, async () => (await find(name))?.spec.nodeName)
  const untilNote = (name: string, reason: string): Promise<string> =>
    until(`an event ${reason} of ${name}`, async () => {
      const { items } = await cluster.client.list<EventOfPod>(resourceRefs.events, { namespace: 'default' })
      return items.find((event) => event.regarding?.name === name && event.reason === reason)?.note
    })
  const createPod = async (
    name: string,
    units: string,
    { resource = LICENCE, ...spec }: Partial<PodSpec> & { readonly resource?: string },
  ): Promise<void> => {
    const resources = { requests: { [resource]: units }, limits: { [resource]: units } }
    const containers = [{ name: 'main', image: 'none', resources }]
    await cluster.client.create<Pod>(resourceRefs.pods, {
      metadata: inDefault(name),
      spec: { terminationGracePeriodSeconds: 0, containers, ...spec },
    })
  }
  const deletePod = (name: string): Promise<unknown> => cluster.client.delete(resourceRefs.pods, inDefault(name))

  beforeAll(async () => {
    const server = parts.use(await startRealApiServer())
    const node = (name: string, licences: string): readonly [string, unknown] => {
      const amounts = { cpu: '4', memory: '8Gi', pods: '100', [LICENCE]: licences, [SEAT]: '1' }
      const stored: Node = { metadata: { name }, status: { capacity: amounts, allocatable: amounts } }
      return [`minions/${name}`, toStoredObject('Node', stored)]
    }
    await server.seed([node('node-1', '1'), node('node-2', '0')])
    cluster = parts.use(connectQuietly({ access: server.access() }))
    await cluster.client.create(
      {
        group: 'scheduling.k8s.io',
        version: 'v1',
        plural: 'priorityclasses',
        kind: 'PriorityClass',
        namespaced: false,
      },
      { metadata: { name: 'urgent' }, value: 1_000 } as KubernetesObject,
    )
    // kube-scheduler may see a deletion before the extender does. Without the signal, the pod could then wait for 5 min.
    const retrySignal = await createRetrySignalObject(cluster.client)
    const authority = await createAuthority()
    extender = parts.use(
      await startExtender({
        dir: server.dir,
        name: 'extender',
        kubeconfig: server.kubeconfig(),
        server: await authority.issue('extender'),
        ca: authority.ca,
        config: { bind: true, ignoredResources: [LICENCE], retrySignal },
      }),
    )
    const kubeconfig = server.kubeconfig()
    const backoff = { podInitialBackoffSeconds: 1, podMaxBackoffSeconds: 2 }
    const calling = startKubeScheduler({
      dir: server.dir,
      kubeconfig,
      extender: {
        port: extender.port,
        ca: authority.ca,
        caller: await authority.issue('kube-scheduler'),
        entry: { managedResources: [{ name: LICENCE, ignoredByScheduler: true }, { name: SEAT }] },
      },
      config: backoff,
    })
    parts.defer(() => calling.kill())
    const dir = join(server.dir, 'alone')
    mkdirSync(dir)
    const pluginConfig = [{ name: 'NodeResourcesFit', args: { ignoredResources: [LICENCE] } }]
    const profiles = [{ schedulerName: ignoring, pluginConfig }, { schedulerName: counting }]
    const alone = startKubeScheduler({ dir, kubeconfig, config: { ...backoff, profiles } })
    parts.defer(() => alone.kill())
  })

  afterAll(() => parts.disposeAsync())

  test('kube-scheduler, which ignores it, would place a pod for which there is none', async () => {
    await createPod('alone', '5', { schedulerName: ignoring })
    expect(await untilBound('alone')).toMatch(/^node-/)
    await deletePod('alone')
    await createPod('too-many', '5', { schedulerName: withExtender })
    expect(await untilNote('too-many', 'FailedScheduling')).toContain(`Insufficient ${LICENCE}`)
    expect((await find('too-many'))?.spec.nodeName).toBeUndefined()
    await deletePod('too-many')
  })

  test('the extender keeps the last unit, for which a kube-scheduler that counts it preempts', async () => {
    await createPod('holder', '1', { schedulerName: withExtender })
    expect(await untilBound('holder')).toBe('node-1')
    await createPod('refused', '1', { schedulerName: withExtender, priorityClassName: 'urgent' })
    expect(await untilNote('refused', 'FailedScheduling')).toBe(
      `0/2 nodes are available: 2 Insufficient ${LICENCE}. no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.`,
    )
    expect((await find('holder'))?.metadata.deletionTimestamp).toBeUndefined()

    await createPod('counted', '1', { schedulerName: counting, priorityClassName: 'urgent' })
    expect(await untilBound('counted')).toBe('node-1')
    expect(await untilNote('holder', 'Preempted')).toMatch(/^Preempted by pod /)
    expect((await find('refused'))?.spec.nodeName).toBeUndefined()
    await deletePod('counted')
    expect(await untilBound('refused')).toBe('node-1')
  })

  test('for a resource that kube-scheduler counts, the extender reviews the victims of an urgent pod, and binds it after the eviction', async () => {
    const seat = { resource: SEAT, schedulerName: withExtender }
    await createPod('seat-1', '1', seat)
    await createPod('seat-2', '1', seat)
    expect([await untilBound('seat-1'), await untilBound('seat-2')].toSorted()).toEqual(['node-1', 'node-2'])
    await createPod('urgent-seat', '1', { ...seat, priorityClassName: 'urgent' })
    const node = await untilBound('urgent-seat')
    const evicted = (await find('seat-1')) === undefined ? 'seat-1' : 'seat-2'
    expect(await untilNote(evicted, 'Preempted')).toMatch(new RegExp(`^Preempted by pod .* on node ${node}`))
    const kept = await find(evicted === 'seat-1' ? 'seat-2' : 'seat-1')
    expect(kept?.metadata.deletionTimestamp).toBeUndefined()
    expect(kept?.spec.nodeName).not.toBe(node)
    const metrics = await (await fetch(`http://${extender.health}/metrics`)).text()
    expect(metrics).toMatch(/^berth_extender_calls_total\{verb="preempt",result="ok"\} [1-9]/m)
  })
})
