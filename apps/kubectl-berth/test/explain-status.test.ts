import { resourceRefs } from '@berth/k8s-client'
import { defineSchedulingPlugin, type SchedulingPlugin } from '@berth/plugin-api'
import type { KubernetesObject, PodStatus } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { testCluster, type TestCluster } from './test-cluster.ts'

const dongle = 'example.com/dongle'

/** Prints the explanation of pod `web` as one line without line breaks. */
async function explained(cluster: TestCluster, ...argv: readonly string[]): Promise<string> {
  return (await cluster.run('explain', 'pod', 'web', ...argv)).replaceAll(/\s+/g, ' ')
}

async function setStatus(cluster: TestCluster, status: PodStatus): Promise<void> {
  await cluster.client.patch(
    resourceRefs.pods,
    { namespace: 'default', name: 'web' },
    { status },
    {
      type: 'merge',
      subresource: 'status',
    },
  )
}

function ago(cluster: TestCluster, seconds: number): string {
  return new Date(cluster.terminal.clock.now() - seconds * 1000).toISOString()
}

async function addLease(cluster: TestCluster, name: string, renewedSecondsAgo: number): Promise<void> {
  const renewTime = ago(cluster, renewedSecondsAgo).replace('Z', '000Z')
  await cluster.create(resourceRefs.leases, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace: 'kube-system' },
    spec: { holderIdentity: 'host-1', leaseDurationSeconds: 15, renewTime },
  } as KubernetesObject)
}

async function addEvent(
  cluster: TestCluster,
  reporter: string,
  secondsAgo: number,
  about: object,
  reason = 'FailedScheduling',
): Promise<void> {
  await cluster.create(resourceRefs.events, {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: `event-${secondsAgo}`, namespace: 'default' },
    eventTime: ago(cluster, secondsAgo).replace('Z', '000Z'),
    reportingController: reporter,
    reportingInstance: `${reporter}-1`,
    action: 'Scheduling',
    reason,
    note: 'no node has a dongle',
    type: 'Warning',
    regarding: { kind: 'Pod', namespace: 'default', apiVersion: 'v1', ...about },
  } as KubernetesObject)
}

async function pendingPod(more: Parameters<TestCluster['addPod']>[2] = {}): Promise<TestCluster> {
  const cluster = testCluster()
  await cluster.addNode('node-a', { [dongle]: '4' })
  await cluster.addPod('web', { [dongle]: '1' }, more)
  return cluster
}

describe('the condition and the last event', () => {
  test('come first, with their age', async () => {
    const cluster = await pendingPod()
    const pod = await cluster.client.get(resourceRefs.pods, { namespace: 'default', name: 'web' })
    const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no dongle' }
    await setStatus(cluster, {
      phase: 'Pending',
      conditions: [{ ...condition, lastTransitionTime: ago(cluster, 300) }],
    })
    await addEvent(cluster, 'my-scheduler', 40, { name: 'web', uid: pod.metadata?.uid })
    const text = await explained(cluster)
    expect(text).toMatch(
      /^STATUS The pod is Pending. Its condition PodScheduled is False \(5m ago\): Unschedulable: no dongle /,
    )
    expect(text).toContain('Last event (40s ago): FailedScheduling from my-scheduler: no node has a dongle')
  })

  test('say that no scheduler has reported', async () => {
    expect(await explained(await pendingPod())).toContain('No scheduler has reported on it')
  })

  test('are complete in JSON', async () => {
    const cluster = await pendingPod()
    await addLease(cluster, 'kube-scheduler', 3)
    const answer = JSON.parse(await cluster.run('explain', 'pod', 'web', '-o', 'json'))
    expect(answer.observed).toMatchObject({ phase: 'Pending', scheduler: { state: 'seen' }, obstacles: [], unread: [] })
  })
})

describe('the scheduler of the pod', () => {
  test('is seen by the Lease that it renews', async () => {
    const cluster = await pendingPod()
    await addLease(cluster, 'kube-scheduler', 3)
    expect(await explained(cluster)).toContain(
      'Scheduler default-scheduler: host-1 holds the Lease kube-system/kube-scheduler, renewed 3s ago.',
    )
  })

  test('is missing when its Lease expired', async () => {
    const cluster = await pendingPod({ schedulerName: 'tiny' })
    await addLease(cluster, 'tiny', 600)
    expect(await explained(cluster)).toContain(
      'Scheduler tiny: no sign of it. Its Lease kube-system/tiny expired, renewed 10m ago.',
    )
  })

  test('is seen by a recent event about any pod, but not by an old one', async () => {
    const cluster = await pendingPod({ schedulerName: 'tiny' })
    await addEvent(cluster, 'tiny', 3000, { name: 'other' })
    expect(await explained(cluster)).toContain('Scheduler tiny: no sign of it, neither a Lease nor a recent event.')
    await addEvent(cluster, 'tiny', 60, { name: 'another' })
    expect(await explained(cluster)).toContain('Scheduler tiny: it wrote an event 60s ago.')
  })

  test('is unknown when Leases may not be listed', async () => {
    const cluster = await pendingPod({ schedulerName: 'tiny' })
    cluster.forbid('leases')
    expect(await explained(cluster)).toContain('Scheduler tiny: unknown, because leases could not be read.')
  })
})

describe('obstacles', () => {
  test('a scheduling gate, with the command that removes it', async () => {
    const text = await explained(await pendingPod({ schedulingGates: [{ name: 'example.com/quota' }] }))
    expect(text).toContain('before its scheduling gates are removed: example.com/quota')
    expect(text).toContain(
      'kubectl patch --type=json -p \'[{"op":"remove","path":"/spec/schedulingGates"}]\' pod web -n default',
    )
    expect(text).not.toContain('held back by plugin SchedulingGates')
  })

  test('a node that does not exist', async () => {
    const text = await explained(await pendingPod({ nodeName: 'node-99' }))
    expect(text).toContain('The pod is assigned to node node-99, which does not exist.')
    expect(text).not.toContain('runs on node-99')
  })

  test('a claim that does not exist', async () => {
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'web-data' } }]
    const text = await explained(await pendingPod({ volumes }))
    expect(text).toContain(
      'Volume data uses the PersistentVolumeClaim web-data, which does not exist in namespace default.',
    )
  })

  test('says nothing about claims that may not be listed', async () => {
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'web-data' } }]
    const cluster = await pendingPod({ volumes })
    cluster.forbid('persistentvolumeclaims')
    expect(await explained(cluster)).not.toContain('which does not exist')
  })

  test('a pod that is being deleted but has finalizers', async () => {
    const cluster = await pendingPod({ metadata: { finalizers: ['example.com/hold'] } })
    await cluster.client.delete(resourceRefs.pods, { namespace: 'default', name: 'web' })
    expect(await explained(cluster)).toMatch(/being deleted since .* It stays until example.com\/hold is removed/)
  })

  test.for([
    {
      it: 'an image that does not pull',
      status: {
        containerStatuses: [{ name: 'ctr', state: { waiting: { reason: 'ImagePullBackOff', message: 'no host' } } }],
      },
      text: 'The image nginx of container ctr does not pull (ImagePullBackOff: no host).',
    },
    {
      it: 'a missing Secret',
      status: {
        containerStatuses: [
          {
            name: 'ctr',
            state: { waiting: { reason: 'CreateContainerConfigError', message: 'secret "s" not found' } },
          },
        ],
      },
      text: 'The container ctr cannot be created (CreateContainerConfigError: secret "s" not found).',
    },
    {
      it: 'an init container that hangs',
      status: { initContainerStatuses: [{ name: 'wait', state: { running: { startedAt: '2026-01-01T00:00:00Z' } } }] },
      text: 'The init container wait still runs; the containers after it start when it ends. kubectl logs -c wait pod web',
    },
    {
      it: 'an init container that fails',
      status: { initContainerStatuses: [{ name: 'wait', state: { waiting: { reason: 'CrashLoopBackOff' } } }] },
      text: 'The init container wait fails again and again (CrashLoopBackOff);',
    },
  ] satisfies readonly { it: string; status: PodStatus; text: string }[])('$it', async ({ status, text }) => {
    const cluster = await pendingPod({ nodeName: 'node-a', initContainers: [{ name: 'wait', image: 'busybox' }] })
    await setStatus(cluster, { phase: 'Pending', ...status })
    expect(await explained(cluster)).toContain(text)
  })
})

describe('a pod that fits although its condition says Unschedulable', () => {
  const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes' }

  /** A pod that fits, whose condition changed an hour ago. */
  async function unschedulable(
    given: { readonly plugins?: readonly SchedulingPlugin[]; readonly configuration?: object } = {},
  ): Promise<TestCluster> {
    const cluster = testCluster({ 'own.yaml': JSON.stringify(given.configuration ?? {}) }, {}, given.plugins)
    await cluster.addNode('node-a', { [dongle]: '4' })
    await cluster.addPod('web', { [dongle]: '1' })
    await setStatus(cluster, {
      phase: 'Pending',
      conditions: [{ ...condition, lastTransitionTime: ago(cluster, 3600) }],
    })
    return cluster
  }

  test('is explained by age, profile and a missing scheduler', async () => {
    const text = await explained(await unschedulable())
    expect(text).toContain('The pod fits by this decision, but its condition says Unschedulable. Possible causes:')
    expect(text).toContain('no scheduler seems to be running')
    expect(text).toContain('the scheduler last tried 60m ago; the cluster may have changed since')
    expect(text).toContain('give it with --scheduler-config')
  })

  test.for([
    { secondsAgo: 5, says: undefined },
    { secondsAgo: 600, says: 'the scheduler last tried 10m ago; the cluster may have changed since' },
    { secondsAgo: 7200, says: 'the scheduler last tried 60m ago; the cluster may have changed since' },
  ])(
    'was last tried when the condition changed or the scheduler wrote an event, here $secondsAgo s ago',
    async ({ secondsAgo, says }) => {
      const cluster = await unschedulable()
      const pod = await cluster.client.get(resourceRefs.pods, { namespace: 'default', name: 'web' })
      const about = { name: 'web', uid: pod.metadata?.uid }
      await addEvent(cluster, 'default-scheduler', secondsAgo, about)
      await addEvent(cluster, 'cluster-autoscaler', 1, about, 'NotTriggerScaleUp')
      const text = await explained(cluster)
      expect(text).toContain('but its condition says Unschedulable')
      const [said] = /the scheduler last tried [^.;]*; the cluster may have changed since/.exec(text) ?? []
      expect(said).toBe(says)
    },
  )

  test('says that later attempts are unknown where events may not be read', async () => {
    const cluster = await unschedulable()
    cluster.forbid('events')
    expect(await explained(cluster)).toContain(
      'its condition is from 60m ago, and whether the scheduler has tried since is unknown, because events could not be read',
    )
  })

  test('names the extenders, which may be the cause', async () => {
    const configuration = { extenders: [{ urlPrefix: 'https://extender.example.com', filterVerb: 'filter' }] }
    const text = await explained(await unschedulable({ configuration }), '--scheduler-config', 'own.yaml')
    expect(text).toMatch(
      /Possible causes: [^.]*extender https:\/\/extender\.example\.com, which the scheduler also calls/,
    )
    expect(text).not.toContain('give it with --scheduler-config')
  })

  const waits = defineSchedulingPlugin({
    apiVersion: 'berth.dev/v1',
    name: 'waits',
    description: 'Lets pods wait.',
    argsSchema: z.strictObject({}),
    create: () => ({ permit: () => undefined }),
  })

  test('names the hooks of a contributed plugin that run after the decision', async () => {
    const configuration = { profiles: [{ plugins: { permit: { enabled: [{ name: 'waits' }] } } }] }
    const cluster = await unschedulable({ configuration, plugins: [waits] })
    expect(await explained(cluster, '--scheduler-config', 'own.yaml', '--plugin-dir', 'plugins')).toMatch(
      /Possible causes: [^.]*permit of plugin waits, which the scheduler runs later/,
    )
  })

  test('does not take the configuration of the scheduler for known with --plugin-dir alone', async () => {
    const cluster = await unschedulable({ plugins: [waits] })
    expect(await explained(cluster, '--plugin-dir', 'plugins')).toContain(
      'the scheduler has a configuration that is not known here (give it with --scheduler-config)',
    )
  })

  test('says so when no cause is known', async () => {
    const cluster = await unschedulable({ configuration: { profiles: [{}] } })
    const pod = await cluster.client.get(resourceRefs.pods, { namespace: 'default', name: 'web' })
    await addLease(cluster, 'kube-scheduler', 3)
    await addEvent(cluster, 'default-scheduler', 5, { name: 'web', uid: pod.metadata?.uid })
    expect(await explained(cluster, '--scheduler-config', 'own.yaml')).toContain(
      'but its condition says Unschedulable. The cause is not known here; the log of the scheduler may name it.',
    )
  })

  test('is in one group with others, whatever the time of the last attempt', async () => {
    const cluster = await unschedulable()
    await cluster.addPod('late', { [dongle]: '1' })
    await cluster.client.patch(
      resourceRefs.pods,
      { namespace: 'default', name: 'late' },
      { status: { phase: 'Pending', conditions: [{ ...condition, lastTransitionTime: ago(cluster, 1200) }] } },
      { type: 'merge', subresource: 'status' },
    )
    await addLease(cluster, 'kube-scheduler', 3)
    const text = (await cluster.run('explain', '--all-pending')).replaceAll(/\s+/g, ' ')
    expect(text).toContain('2 pods: The pod fits by this decision, but its condition says Unschedulable.')
  })

  test('is not explained when the pod does not fit', async () => {
    const cluster = testCluster()
    await cluster.addNode('node-a')
    await cluster.addPod('web', { [dongle]: '1' })
    await setStatus(cluster, { phase: 'Pending', conditions: [condition] })
    expect(await explained(cluster)).not.toContain('by this decision')
  })
})
