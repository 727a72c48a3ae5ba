import { describe, expect, test } from 'vitest'
import { testCluster, type TestCluster } from '../test-cluster.ts'
import { survey, found, addLease, addEndpoints, addService } from './survey-of.ts'
import {
  addConfiguredScheduler,
  addProgramPod,
  addReportingNode,
  addSchedulerConfiguration,
} from './surveyed-objects.ts'

const dongle = 'example.com/dongle'

describe('schedulers', () => {
  test('one that renews its Lease works, and one without a sign whose pods wait does not', async () => {
    const cluster = testCluster()
    await addReportingNode(cluster, 'node-a')
    await addLease(cluster, 'kube-scheduler', 'node-a_1')
    await cluster.addPod('bound', {}, { nodeName: 'node-a' })
    await cluster.addPod('waiting', {}, { schedulerName: 'lost' })
    const { lines } = await found(cluster, 'schedulers')
    expect(lines).toEqual(['default-scheduler: used, healthy', 'lost: used, unhealthy'])
    const { extensions } = await survey(cluster, 'schedulers')
    expect(extensions[0]).toMatchObject({
      usedBy: ['pod default/bound'],
      evidence: [expect.stringContaining('node-a_1 holds the Lease kube-system/kube-scheduler, renewed 0s ago.')],
    })
    expect(extensions[1]?.evidence).toContain('1 of its 1 pods have no node.')
  })

  test('one that only a configuration names is unused, and its health unknown', async () => {
    const cluster = testCluster()
    await addSchedulerWithExtender(cluster, 'https://127.0.0.1:8888')
    const { lines } = await found(cluster, 'schedulers')
    expect(lines).toContain('packing: unused, unknown')
  })

  test('without the right to list Leases and events nothing is claimed, and the rights are named', async () => {
    const cluster = testCluster()
    cluster.forbid('leases', 'events')
    await cluster.addPod('waiting', {})
    const { extensions, missing } = await survey(cluster, 'schedulers')
    expect(extensions).toMatchObject([{ name: 'default-scheduler', use: 'used', health: 'unknown' }])
    expect(missing.join('\n')).toContain('grant the verb "list" on "leases" (API group "coordination.k8s.io")')
    expect(missing.join('\n')).toContain('events')
  })
})

/** A kube-scheduler whose ConfigMap names an extender at a URL, in the namespace default. */
async function addSchedulerWithExtender(cluster: TestCluster, url: string, isReady = true): Promise<void> {
  const configuration = {
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    profiles: [{ schedulerName: 'packing' }],
    extenders: [{ urlPrefix: url, filterVerb: 'filter', managedResources: [{ name: dongle }] }],
  }
  await addSchedulerConfiguration(cluster, 'scheduler', configuration)
  await addConfiguredScheduler(cluster, 'kube-scheduler-1', { configMap: 'scheduler', isReady })
}

describe('extenders', () => {
  test.for([
    { isReady: true, lines: ['https://127.0.0.1:8888: used, healthy'] },
    { isReady: false, lines: ['https://127.0.0.1:8888: used, unhealthy'] },
  ])('one beside its scheduler is as ready as that pod: $isReady', async ({ isReady, lines }) => {
    const cluster = testCluster()
    await addSchedulerWithExtender(cluster, 'https://127.0.0.1:8888', isReady)
    await cluster.addPod('user', { [dongle]: '1' }, { schedulerName: 'packing' })
    await cluster.addPod('other', { [dongle]: '1' })
    const answer = await found(cluster, 'extenders')
    expect(answer.lines).toEqual(lines)
    expect(answer.first.usedBy).toEqual(['pod default/user'])
    expect(answer.first.evidence).toContain(`It is called for pods that request ${dongle}.`)
  })

  test.for([
    { host: 'extender.default.svc', ready: [true], health: 'healthy', says: 'has 1 ready endpoint.' },
    { host: 'extender.default.svc.cluster.local', ready: [false], health: 'unhealthy', says: 'has no ready endpoint.' },
    { host: '10.96.0.7', ready: [true, true], health: 'healthy', says: 'has 2 ready endpoints.' },
    { host: 'elsewhere.example.com', ready: [true], health: 'unknown', says: 'No Service has this address' },
  ])('the one at $host with endpoints $ready is $health', async ({ host, ready, health, says }) => {
    const cluster = testCluster()
    await addService(cluster, 'extender')
    await addEndpoints(cluster, 'extender', ready)
    await addSchedulerWithExtender(cluster, `https://${host}:8888`)
    const { first } = await found(cluster, 'extenders')
    expect(first.health).toBe(health)
    expect(first.evidence.join(' ')).toContain(says)
  })
})

test('the user and password in the URL of an extender are not shown, and it is found without them', async () => {
  const cluster = testCluster()
  await addService(cluster, 'extender')
  await addEndpoints(cluster, 'extender', [true])
  await addSchedulerWithExtender(cluster, 'https://me:secret@extender.default.svc:8888/scheduler')
  const { lines, first } = await found(cluster, 'extenders')
  expect(lines).toEqual(['https://…@extender.default.svc:8888/scheduler: unused, healthy'])
  expect(JSON.stringify(first)).not.toContain('secret')
})

test('an extender of two replicas is one, and works when it works beside both', async () => {
  const cluster = testCluster()
  await addSchedulerWithExtender(cluster, 'https://127.0.0.1:8888')
  await addConfiguredScheduler(cluster, 'kube-scheduler-2', { configMap: 'scheduler', isReady: false })
  const { lines, first } = await found(cluster, 'extenders')
  expect(lines).toEqual(['https://127.0.0.1:8888: unused, unhealthy'])
  expect(first.evidence).toEqual([
    'ConfigMap default/scheduler names it for packing.',
    `It is called for pods that request ${dongle}.`,
    'It runs beside the scheduler in pod default/kube-scheduler-1, which is ready.',
    'It runs beside the scheduler in pod default/kube-scheduler-2, which is not ready.',
  ])
})

describe('control plane', () => {
  test('a node that waits for its cloud provider makes the provider unhealthy', async () => {
    const cluster = testCluster()
    await addReportingNode(cluster, 'node-a', { spec: { providerID: 'aws:///eu-west-1a/i-1' } })
    await addLease(cluster, 'cloud-controller-manager', 'ccm_1')
    expect((await found(cluster, 'cloud-providers')).lines).toEqual(['aws: used, healthy'])
    const taints = [{ key: 'node.cloudprovider.kubernetes.io/uninitialized', effect: 'NoSchedule' }]
    await addReportingNode(cluster, 'node-b', { spec: { providerID: 'aws:///eu-west-1a/i-2', taints } })
    expect((await found(cluster, 'cloud-providers')).lines).toEqual(['aws: used, unhealthy'])
  })

  test('the API server reports its KMS plugin in /readyz; without one its flag names a file', async () => {
    const cluster = testCluster()
    await addReportingNode(cluster, 'node-a')
    expect((await survey(cluster, 'kms')).extensions).toEqual([])
    await addProgramPod(cluster, 'kube-apiserver-1', {
      labels: { component: 'kube-apiserver' },
      containers: [
        { name: 'a', image: 'a', command: ['kube-apiserver', '--encryption-provider-config=/etc/kubernetes/enc.yaml'] },
      ],
    })
    expect((await found(cluster, 'kms')).lines).toEqual(['/etc/kubernetes/enc.yaml: used, unknown'])
    cluster.servePage('/readyz', 500, '[+]ping ok\n[-]kms-providers failed: reason withheld\nreadyz check failed\n')
    expect((await found(cluster, 'kms')).lines).toEqual(['kms-providers: used, unhealthy'])
  })
})
