import { describe, expect, test } from 'vitest'
import { podManifest, startVirtualCluster, type JsonResponse, type VirtualCluster } from '../src/testing.ts'

const MERGE = { contentType: 'application/merge-patch+json' }
const PODS = '/api/v1/namespaces/default/pods'
const APPS = '/apis/apps/v1/namespaces/default'
const JOBS = '/apis/batch/v1/namespaces/default/jobs'

interface Pod {
  readonly metadata: {
    readonly name: string
    readonly labels: Readonly<Record<string, string>>
    readonly finalizers?: readonly string[]
    readonly deletionTimestamp?: string
  }
  readonly spec: { readonly nodeName: string; readonly containers: readonly { readonly image: string }[] }
  readonly status: { readonly phase: string; readonly podIP?: string }
}

async function podsOf(cluster: VirtualCluster, query = ''): Promise<readonly Pod[]> {
  return (await cluster.call('GET', `${PODS}${query}`)).body.items
}

async function post(cluster: VirtualCluster, path: string, body: object): Promise<JsonResponse> {
  const answer = await cluster.call('POST', path, { body })
  expect(answer).toMatchObject({ status: 201 })
  return answer
}

const template = (image: string, spec: object = {}, labels: object = { app: 'x' }): object => ({
  metadata: { labels },
  spec: { containers: [{ name: 'c', image }], ...spec },
})

const daemonSet = (image: string, updateStrategy?: object, spec: object = {}): object => ({
  metadata: { name: 'agent' },
  spec: {
    selector: { matchLabels: { app: 'x' } },
    ...(updateStrategy && { updateStrategy }),
    template: template(image, spec),
  },
})

describe('DaemonSets', () => {
  test('run one pod on every node, including new nodes, and count them', async () => {
    await using cluster = await startVirtualCluster()
    await post(cluster, `${APPS}/daemonsets`, daemonSet('a:1'))
    await cluster.clock.run(2_000)
    expect((await podsOf(cluster)).map(({ spec }) => spec.nodeName).toSorted()).toEqual(['node-1', 'node-2', 'node-3'])
    const { status } = (await cluster.call('GET', `${APPS}/daemonsets/agent`)).body
    expect(status).toEqual({
      currentNumberScheduled: 3,
      desiredNumberScheduled: 3,
      numberMisscheduled: 0,
      numberReady: 3,
      numberAvailable: 3,
      updatedNumberScheduled: 3,
      observedGeneration: 1,
    })
  })

  test('run only on nodes that they select and tolerate, and tolerate the taints that every daemon tolerates', async () => {
    await using cluster = await startVirtualCluster()
    await cluster.call('PATCH', '/api/v1/nodes/node-1', { ...MERGE, body: { metadata: { labels: { disk: 'ssd' } } } })
    await cluster.call('PATCH', '/api/v1/nodes/node-2', { ...MERGE, body: { metadata: { labels: { disk: 'ssd' } } } })
    await cluster.call('PATCH', '/api/v1/nodes/node-2', { ...MERGE, body: { spec: { unschedulable: true } } })
    await post(cluster, `${APPS}/daemonsets`, daemonSet('a:1', undefined, { nodeSelector: { disk: 'ssd' } }))
    await cluster.clock.run(2_000)
    const names = async (): Promise<readonly string[]> =>
      (await podsOf(cluster)).map(({ spec }) => spec.nodeName ?? 'none')
    expect((await names()).toSorted()).toEqual(['node-1', 'none'].toSorted())
    await cluster.call('PATCH', '/api/v1/nodes/node-1', {
      ...MERGE,
      body: { spec: { taints: [{ key: 'own', value: 'x', effect: 'NoExecute' }] } },
    })
    await cluster.clock.run(2_000)
    expect(await names()).toEqual(['none'])
  })

  test.for([
    { it: 'one node at a time', strategy: { type: 'RollingUpdate' }, most: 3, least: 2 },
    {
      it: 'with surge, so that a pod always runs',
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      most: 4,
      least: 3,
    },
  ])('roll to a new template $it', async ({ strategy, most, least }) => {
    await using cluster = await startVirtualCluster()
    await post(cluster, `${APPS}/daemonsets`, daemonSet('a:1', strategy))
    await cluster.clock.run(3_000)
    await cluster.call('PATCH', `${APPS}/daemonsets/agent`, {
      ...MERGE,
      body: { spec: { template: template('a:2') } },
    })
    const counts: number[] = []
    for (let i = 0; i < 20; i++) {
      await cluster.clock.run(100)
      counts.push((await podsOf(cluster)).filter(({ status }) => status.phase === 'Running').length)
    }
    expect((await podsOf(cluster)).map(({ spec }) => spec.containers[0]?.image)).toEqual(['a:2', 'a:2', 'a:2'])
    expect(Math.max(...counts)).toBeLessThanOrEqual(most)
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(least)
    const revisions = (await cluster.call('GET', `${APPS}/controllerrevisions`)).body.items
    expect(revisions.map(({ revision }: { revision: number }) => revision).toSorted()).toEqual([1, 2])
  })

  test('OnDelete replaces pods only after they are deleted', async () => {
    await using cluster = await startVirtualCluster({ nodes: 1 })
    await post(cluster, `${APPS}/daemonsets`, daemonSet('a:1', { type: 'OnDelete' }))
    await cluster.clock.run(2_000)
    await cluster.call('PATCH', `${APPS}/daemonsets/agent`, { ...MERGE, body: { spec: { template: template('a:2') } } })
    await cluster.clock.run(2_000)
    const [pod] = await podsOf(cluster)
    expect(pod?.spec.containers[0]?.image).toBe('a:1')
    await cluster.call('DELETE', `${PODS}/${pod?.metadata.name}`)
    await cluster.clock.run(2_000)
    expect((await podsOf(cluster))[0]?.spec.containers[0]?.image).toBe('a:2')
  })
})

const job = (spec: object, pod: object = {}, annotations: object = {}): object => ({
  metadata: { name: 'work' },
  spec: {
    ...spec,
    template: {
      metadata: { annotations },
      spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'a' }], ...pod },
    },
  },
})

const jobStatus = async (cluster: VirtualCluster): Promise<{ readonly [field: string]: unknown }> =>
  (await cluster.call('GET', `${JOBS}/work`)).body.status

const conditions = async (cluster: VirtualCluster): Promise<readonly string[]> =>
  ((await jobStatus(cluster))['conditions'] as { type: string; status: string; reason: string }[]).map(
    ({ type, status, reason }) => `${type}=${status} ${reason}`,
  )

describe('Jobs', () => {
  test('run until enough pods succeeded', async () => {
    await using cluster = await startVirtualCluster()
    await post(cluster, JOBS, job({ completions: 3, parallelism: 2 }))
    await cluster.clock.run(500)
    expect(await jobStatus(cluster)).toMatchObject({ active: 2, ready: 2, terminating: 0, uncountedTerminatedPods: {} })
    await cluster.clock.run(5_000)
    expect(await jobStatus(cluster)).toMatchObject({ succeeded: 3, ready: 0, completionTime: '2026-01-01T00:00:02Z' })
    expect(await conditions(cluster)).toEqual([
      'SuccessCriteriaMet=True CompletionsReached',
      'Complete=True CompletionsReached',
    ])
    expect((await podsOf(cluster)).map(({ metadata }) => metadata.finalizers)).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  test('fail at the backoff limit, after increasing delays', async () => {
    await using cluster = await startVirtualCluster()
    await post(cluster, JOBS, job({ backoffLimit: 1 }, {}, { 'simulator.berth.dev/exit-code': '3' }))
    await cluster.clock.run(5_000)
    expect(await jobStatus(cluster)).toMatchObject({ failed: 1 })
    expect(await podsOf(cluster)).toHaveLength(1)
    await cluster.clock.run(10_000)
    expect(await podsOf(cluster)).toHaveLength(2)
    expect(await conditions(cluster)).toEqual([
      'FailureTarget=True BackoffLimitExceeded',
      'Failed=True BackoffLimitExceeded',
    ])
  })

  test('count container restarts with OnFailure as failures', async () => {
    await using cluster = await startVirtualCluster()
    const annotations = { 'simulator.berth.dev/exit-code': '1' }
    await post(cluster, JOBS, job({ backoffLimit: 2 }, { restartPolicy: 'OnFailure' }, annotations))
    await cluster.clock.run(2_000)
    expect(await podsOf(cluster)).toHaveLength(1)
    await cluster.clock.run(60_000)
    expect(await conditions(cluster)).toEqual([
      'FailureTarget=True BackoffLimitExceeded',
      'Failed=True BackoffLimitExceeded',
    ])
  })

  test('stop at their deadline', async () => {
    await using cluster = await startVirtualCluster()
    const annotations = { 'simulator.berth.dev/run-seconds': '3600' }
    await post(cluster, JOBS, job({ activeDeadlineSeconds: 30 }, {}, annotations))
    await cluster.clock.run(29_000)
    expect((await jobStatus(cluster))['active']).toBe(1)
    await cluster.clock.run(40_000)
    expect(await conditions(cluster)).toEqual(['FailureTarget=True DeadlineExceeded', 'Failed=True DeadlineExceeded'])
    expect((await podsOf(cluster)).filter(({ status }) => status.phase === 'Running')).toEqual([])
  })

  test('run each index once, and pass it to the pod (Indexed)', async () => {
    await using cluster = await startVirtualCluster()
    await post(cluster, JOBS, job({ completions: 4, parallelism: 4, completionMode: 'Indexed' }))
    await cluster.clock.run(5_000)
    const pods = await podsOf(cluster)
    const indexes = pods.map(({ metadata }) => Number(metadata.labels['batch.kubernetes.io/job-completion-index']))
    expect(indexes.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3])
    expect(pods.map(({ metadata }) => metadata.name).toSorted()[0]).toMatch(/^work-0-.{5}$/u)
    expect(await jobStatus(cluster)).toMatchObject({ completedIndexes: '0-3', succeeded: 4 })
  })

  test('have no pods while suspended', async () => {
    await using cluster = await startVirtualCluster()
    await post(cluster, JOBS, job({ suspend: true }))
    await cluster.clock.run(2_000)
    expect(await podsOf(cluster)).toEqual([])
    expect(await conditions(cluster)).toEqual(['Suspended=True JobSuspended'])
    await cluster.call('PATCH', `${JOBS}/work`, { ...MERGE, body: { spec: { suspend: false } } })
    await cluster.clock.run(3_000)
    expect((await conditions(cluster))[0]).toBe('Suspended=False JobResumed')
    expect((await jobStatus(cluster))['succeeded']).toBe(1)
  })

  test('are deleted with their pods when their TTL after finishing expires', async () => {
    await using cluster = await startVirtualCluster()
    await post(cluster, JOBS, job({ ttlSecondsAfterFinished: 60 }))
    await cluster.clock.run(50_000)
    expect((await cluster.call('GET', `${JOBS}/work`)).status).toBe(200)
    await cluster.clock.run(20_000)
    expect((await cluster.call('GET', `${JOBS}/work`)).status).toBe(404)
    expect(await podsOf(cluster)).toEqual([])
  })

  test('delete their pods when they are deleted', async () => {
    await using cluster = await startVirtualCluster()
    await post(cluster, JOBS, job({}, {}, { 'simulator.berth.dev/run-seconds': '3600' }))
    await cluster.clock.run(1_000)
    await cluster.call('DELETE', `${JOBS}/work?propagationPolicy=Background`)
    await cluster.clock.run(5_000)
    expect(await podsOf(cluster)).toEqual([])
  })
})

test('StatefulSets start in order, keep names and claims, and scale down from the highest ordinal', async () => {
  await using cluster = await startVirtualCluster()
  await post(cluster, `${APPS}/statefulsets`, {
    metadata: { name: 'db' },
    spec: {
      replicas: 3,
      serviceName: 'db',
      selector: { matchLabels: { app: 'x' } },
      template: template('a:1'),
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ],
    },
  })
  await cluster.clock.run(5_000)
  expect((await podsOf(cluster)).map(({ metadata }) => metadata.name)).toEqual(['db-0', 'db-1', 'db-2'])
  const claims = (await cluster.call('GET', '/api/v1/namespaces/default/persistentvolumeclaims')).body.items
  expect(claims.map((claim: Pod) => claim.metadata.name)).toEqual(['data-db-0', 'data-db-1', 'data-db-2'])
  await cluster.call('PATCH', `${APPS}/statefulsets/db`, {
    ...MERGE,
    body: { spec: { replicas: 2, template: template('a:2') } },
  })
  await cluster.clock.run(10_000)
  expect((await podsOf(cluster)).map(({ metadata, spec }) => [metadata.name, spec.containers[0]?.image])).toEqual([
    ['db-0', 'a:2'],
    ['db-1', 'a:2'],
  ])
  expect((await cluster.call('GET', `${APPS}/statefulsets/db`)).body.status).toMatchObject({
    replicas: 2,
    readyReplicas: 2,
    updatedReplicas: 2,
    availableReplicas: 2,
  })
})

describe('Services', () => {
  test('list the addresses of their ready pods', async () => {
    await using cluster = await startVirtualCluster()
    await post(cluster, '/api/v1/namespaces/default/services', {
      metadata: { name: 'web' },
      spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 'http' }] },
    })
    const slices = async (): Promise<readonly { readonly endpoints: readonly object[]; readonly ports: unknown }[]> =>
      (
        await cluster.call(
          'GET',
          '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices?labelSelector=kubernetes.io/service-name=web',
        )
      ).body.items
    await cluster.clock.run(100)
    expect(await slices()).toMatchObject([{ endpoints: null }])
    const container = { name: 'c', image: 'a', ports: [{ name: 'http', containerPort: 8080 }] }
    await post(cluster, PODS, { metadata: { name: 'w', labels: { app: 'web' } }, spec: { containers: [container] } })
    await cluster.clock.run(2_000)
    const [pod] = await podsOf(cluster)
    expect(await slices()).toMatchObject([
      {
        endpoints: [
          {
            addresses: [pod?.status.podIP],
            conditions: { ready: true, serving: true, terminating: false },
            nodeName: pod?.spec.nodeName,
            targetRef: { kind: 'Pod', name: 'w' },
          },
        ],
        ports: [{ port: 8080, protocol: 'TCP' }],
      },
    ])
    const endpoints = await cluster.call('GET', '/api/v1/namespaces/default/endpoints/web')
    expect(endpoints.body.subsets).toMatchObject([{ addresses: [{ ip: pod?.status.podIP }], ports: [{ port: 8080 }] }])
    await cluster.call('DELETE', `${PODS}/w?gracePeriodSeconds=0`)
    await cluster.call('DELETE', '/api/v1/namespaces/default/services/web')
    await cluster.clock.run(2_000)
    expect(await slices()).toEqual([])
    expect((await cluster.call('GET', '/api/v1/namespaces/default/endpoints/web')).status).toBe(404)
  })
})

describe('node lifecycle', () => {
  const taints = async (cluster: VirtualCluster): Promise<readonly string[]> =>
    ((await cluster.call('GET', '/api/v1/nodes/node-1')).body.spec.taints ?? []).map(
      ({ key, effect }: { key: string; effect: string }) => `${key}:${effect}`,
    )
  const ready = async (cluster: VirtualCluster): Promise<string> =>
    (await cluster.call('GET', '/api/v1/nodes/node-1')).body.status.conditions.find(
      ({ type }: { type: string }) => type === 'Ready',
    ).status

  test('a node that renews its lease stays ready', async () => {
    await using cluster = await startVirtualCluster({ nodes: 1 })
    await cluster.clock.run(3_600_000)
    expect([await ready(cluster), await taints(cluster)]).toEqual(['True', []])
  })

  test('a silent node becomes Unknown, its pods are evicted when their tolerations expire, and it can recover', async () => {
    await using cluster = await startVirtualCluster({ nodes: 1 })
    const tolerations = [
      { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 30 },
    ]
    await post(cluster, PODS, podManifest('short', {}, { tolerations }))
    await post(cluster, PODS, podManifest('long'))
    await cluster.clock.run(5_000)
    await cluster.kubelet(0).stop()
    await cluster.clock.run(45_000)
    expect(await ready(cluster)).toBe('True')
    await cluster.clock.run(20_000)
    expect(await ready(cluster)).toBe('Unknown')
    expect(await taints(cluster)).toEqual([
      'node.kubernetes.io/unreachable:NoSchedule',
      'node.kubernetes.io/unreachable:NoExecute',
    ])
    const deleted = async (): Promise<readonly string[]> =>
      (await podsOf(cluster))
        .filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
        .map(({ metadata }) => metadata.name)
    expect(await deleted()).toEqual([])
    await cluster.clock.run(30_000)
    expect(await deleted()).toEqual(['short'])
    await cluster.clock.run(270_000)
    expect(await deleted()).toEqual(['long', 'short'])
    await cluster.kubelet(0).start()
    await cluster.clock.run(5_000)
    expect([await ready(cluster), await taints(cluster), await podsOf(cluster)]).toEqual(['True', [], []])
  })

  test('a cordoned node is tainted until it is uncordoned', async () => {
    await using cluster = await startVirtualCluster({ nodes: 1 })
    await cluster.call('PATCH', '/api/v1/nodes/node-1', { ...MERGE, body: { spec: { unschedulable: true } } })
    await cluster.clock.run(10)
    expect(await taints(cluster)).toEqual(['node.kubernetes.io/unschedulable:NoSchedule'])
    await cluster.call('PATCH', '/api/v1/nodes/node-1', { ...MERGE, body: { spec: { unschedulable: null } } })
    await cluster.clock.run(10)
    expect(await taints(cluster)).toEqual([])
  })

  test('pods of a deleted node are deleted after a while', async () => {
    await using cluster = await startVirtualCluster({ nodes: 1 })
    await post(cluster, PODS, podManifest('p'))
    await cluster.clock.run(2_000)
    await cluster.kubelet(0).stop()
    await cluster.call('DELETE', '/api/v1/nodes/node-1')
    await cluster.clock.run(30_000)
    expect(await podsOf(cluster)).toHaveLength(1)
    await cluster.clock.run(30_000)
    expect(await podsOf(cluster)).toEqual([])
  })
})

test('a namespace gets its service account and root certificates, and they are recreated', async () => {
  await using cluster = await startVirtualCluster({ nodes: 0 })
  await post(cluster, '/api/v1/namespaces', { metadata: { name: 'n' } })
  await cluster.clock.run(10)
  for (const path of ['serviceaccounts/default', 'configmaps/kube-root-ca.crt']) {
    await cluster.call('DELETE', `/api/v1/namespaces/n/${path}`)
    await cluster.clock.run(10)
    expect((await cluster.call('GET', `/api/v1/namespaces/n/${path}`)).status).toBe(200)
  }
})
