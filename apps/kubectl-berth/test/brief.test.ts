import { resourceRefs, type ResourceRef } from '@berth/k8s-client'
import type { Pod } from '@berth/types'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { readServerState } from '../src/brief/reported-state.ts'
import { testCluster, type TestCluster } from './test-cluster.ts'

const dongle = 'example.com/dongle'
const secrets: ResourceRef = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true }

/** A Deployment of two pods, of which one waits; its service; and a pod of its own. */
async function webShop(): Promise<TestCluster> {
  const cluster = testCluster()
  const labels = { app: 'web' }
  const metadata = { name: 'web', namespace: 'default', labels }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'ctr', image: 'nginx' }] } }
  const spec = { replicas: 2, selector: { matchLabels: labels }, template }
  const deployment = await cluster.create(resourceRefs.deployments, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec,
  } as never)
  const set = await cluster.create(resourceRefs.replicaSets, {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'web-5d', namespace: 'default', ownerReferences: [owner(deployment, 'Deployment')] },
    spec,
  } as never)
  const ownerReferences = [owner(set, 'ReplicaSet')]
  const running = await cluster.addPod(
    'web-5d-a',
    { [dongle]: '3' },
    { nodeName: 'node-a', metadata: { labels, ownerReferences } },
  )
  const waiting = await cluster.addPod('web-5d-b', { [dongle]: '2' }, { metadata: { labels, ownerReferences } })
  const ready = {
    phase: 'Running',
    containerStatuses: [{ name: 'ctr', ready: true, restartCount: 1, state: { running: {} }, image: '', imageID: '' }],
  }
  await setStatus(cluster, running, ready)
  const message = `0/1 nodes are available: 1 Insufficient ${dongle}. preemption: 0/1 nodes are available.`
  await setStatus(cluster, waiting, {
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
  })
  await cluster.create(resourceRefs.services, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace: 'default' },
    spec: { selector: labels, ports: [{ port: 80 }], clusterIP: '10.0.0.7' },
  } as never)
  await cluster.create(resourceRefs.services, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'other', namespace: 'default' },
    spec: { selector: { app: 'other' }, ports: [{ port: 80 }], clusterIP: '10.0.0.8' },
  } as never)
  await setStatus(cluster, await cluster.addPod('extended-resource-demo', {}, { nodeName: 'node-a' }), ready)
  await cluster.terminal.clock.advance((7 * 24 + 23) * 3_600_000)
  return cluster
}

function owner({ metadata }: { readonly metadata?: { readonly name?: string; readonly uid?: string } }, kind: string) {
  return { apiVersion: 'apps/v1', kind, name: metadata?.name ?? '', uid: metadata?.uid ?? '', controller: true }
}

/** Serves the discovery that short names need. */
function serveDiscovery(cluster: TestCluster): void {
  const preferredVersion = { groupVersion: 'apps/v1', version: 'v1' }
  cluster.serve('/apis', { kind: 'APIGroupList', groups: [{ name: 'apps', preferredVersion }] })
  const served = {
    name: 'deployments',
    singularName: 'deployment',
    shortNames: ['deploy'],
    namespaced: true,
    kind: 'Deployment',
  }
  cluster.serve('/apis/apps/v1', { resources: [served] })
}

async function setStatus({ client }: TestCluster, { metadata }: Pod, status: object): Promise<void> {
  const target = { namespace: 'default', name: metadata.name ?? '' }
  await client.patch(resourceRefs.pods, target, { status }, { type: 'merge', subresource: 'status' })
}

describe('brief', () => {
  test('shows each workload with its pods, what they ask for, why one waits, and its services', async () => {
    const cluster = await webShop()
    expect(await cluster.run('brief')).toBe(`DEPLOYMENT           READY   UP-TO-DATE   AVAILABLE   AGE
   RS                DESIRED   CURRENT   READY   AGE
   POD               READY   STATUS    RESTARTS   AGE
   SVC               TYPE        CLUSTER-IP   EXTERNAL-IP   PORT(S)   AGE
web                  0/2     0            0           7d23h
├─ rs/web-5d         2         0         0       7d23h
│  ├─ pod/web-5d-a   1/1     Running   1          7d23h
│  │     requests example.com/dongle: 3
│  └─ pod/web-5d-b   0/1     Pending   0          7d23h
│        requests example.com/dongle: 2
│        0/1 nodes are available: 1 Insufficient example.com/dongle.
└─ svc/web           ClusterIP   10.0.0.7     <none>        80/TCP    7d23h

POD                      READY   STATUS    RESTARTS   AGE
extended-resource-demo   1/1     Running   1          7d23h
`)
    expect(cluster.terminal.notes()).toBe('\nTo see why it is pending: kubectl berth explain pod web-5d-b -n default\n')
  })

  test('says of a pod without a node and a condition that no scheduler has reported on it', async () => {
    const cluster = testCluster()
    await cluster.addPod('waits', {})
    await cluster.addPod('placed', {}, { nodeName: 'node-1' })
    expect(await cluster.run('brief')).toMatch(/\nplaced .*\nwaits .*\n {6}no scheduler has reported on it\n$/)
    expect(cluster.terminal.notes()).toContain('To see why it is pending: kubectl berth explain pod waits -n default')
  })

  test('names the command that explains a pod only for a pod that it shows', async () => {
    const cluster = await webShop()
    await cluster.addPod('another', { [dongle]: '9' })
    await cluster.run('brief', 'deployment/web')
    expect(cluster.terminal.notes()).toBe('\nTo see why it is pending: kubectl berth explain pod web-5d-b -n default\n')
    await cluster.run('brief', 'service/other')
    expect(cluster.terminal.notes().match(/To see why/g)).toHaveLength(1)
  })

  test('reads a thousand pods with one list of each kind', async () => {
    const cluster = testCluster()
    await Promise.all(Array.from({ length: 1_000 }, (_, i) => cluster.addPod(`pod-${i}`, {})))
    await cluster.run('brief')
    const paths = cluster.requests().map((path) => path.split('?')[0])
    expect(paths.filter((path) => path?.endsWith('/pods'))).toHaveLength(1)
    expect(paths).toEqual([...new Set(paths)])
  })

  test('gives programs the same as a tree', async () => {
    const cluster = await webShop()
    const { sections } = JSON.parse(await cluster.run('brief', '-o', 'json'))
    expect(sections).toMatchObject([
      {
        kind: 'deployment',
        items: [
          {
            name: 'web',
            namespace: 'default',
            children: [
              {
                kind: 'replicaset',
                name: 'web-5d',
                children: [
                  { kind: 'pod', name: 'web-5d-a', notes: [`requests ${dongle}: 3`] },
                  {
                    kind: 'pod',
                    name: 'web-5d-b',
                    notes: [`requests ${dongle}: 2`, `0/1 nodes are available: 1 Insufficient ${dongle}.`],
                  },
                ],
              },
              { kind: 'service', name: 'web' },
            ],
          },
        ],
      },
      { kind: 'pod', items: [{ name: 'extended-resource-demo' }] },
    ])
  })

  test('keeps to the workloads that a selector chooses', async () => {
    const cluster = await webShop()
    expect(await cluster.run('brief', '-l', 'app=other')).toBe('')
    expect(cluster.terminal.notes()).toContain('Nothing runs in namespace default.')
    expect(await cluster.run('brief', '-l', 'app=web')).not.toContain('extended-resource-demo')
  })

  test('names namespaces when it shows all of them', async () => {
    const cluster = await webShop()
    await cluster.addPod('far', {}, { metadata: { namespace: 'kube-system' } })
    const text = await cluster.run('brief', '-A')
    expect(text).toContain('\ndefault/web ')
    expect(text).toContain('\nkube-system/far ')
  })

  test('shows further kinds of workloads and companions of the same name', async () => {
    const cluster = await webShop()
    const spec = { maxUnavailable: 1, selector: { matchLabels: { app: 'web' } } }
    const metadata = { name: 'web', namespace: 'default' }
    await cluster.create(resourceRefs.podDisruptionBudgets, {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata,
      spec,
    } as never)
    const text = await cluster.run('brief', '--kind', 'replicasets', '--related', 'poddisruptionbudgets')
    expect(text).toMatch(/^REPLICASET /)
    expect(text).toContain('poddisruptionbudget/web')
  })

  test('shows custom workloads with the columns of their own kind, and their companions, as the seed does', async () => {
    const cluster = testCluster()
    const group = (name: string, version: string) => ({
      name,
      preferredVersion: { groupVersion: `${name}/${version}`, version },
    })
    cluster.serve('/apis', {
      kind: 'APIGroupList',
      groups: [group('apps', 'v1'), group('apps.kruise.io', 'v1alpha1'), group('tem.example', 'v1')],
    })
    cluster.serve('/apis/apps.kruise.io/v1alpha1', {
      resources: [
        { name: 'clonesets/status', namespaced: true, kind: 'CloneSet' },
        { name: 'clonesets', singularName: 'cloneset', shortNames: ['clone'], namespaced: true, kind: 'CloneSet' },
      ],
    })
    cluster.serve('/apis/tem.example/v1', {
      resources: [
        { name: 'upgradestrategies', singularName: 'upgradestrategy', namespaced: true, kind: 'UpgradeStrategy' },
      ],
    })
    const table = (columns: string[], cells: unknown[], object: object) => ({
      kind: 'Table',
      columnDefinitions: columns.map((name) => ({ name, priority: name === 'Images' ? 1 : 0 })),
      rows: [{ cells, object }],
    })
    const metadata = { name: 'mist-api', namespace: 'default', uid: 'c1' }
    cluster.serve(
      '/apis/apps.kruise.io/v1alpha1/namespaces/default/clonesets',
      table(['Name', 'Desired', 'Updated', 'Ready', 'Age', 'Images'], ['mist-api', 1, 1, 0, '19d', 'mist:1'], {
        kind: 'CloneSet',
        metadata,
      }),
    )
    cluster.serve('/apis/tem.example/v1/namespaces/default/upgradestrategies', {
      kind: 'UpgradeStrategyList',
      items: [{ metadata: { name: 'mist-api', namespace: 'default' } }],
    })
    const ownerReferences = [
      { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', name: 'mist-api', uid: 'c1', controller: true },
    ]
    await cluster.addPod('mist-api-l94xz', {}, { metadata: { ownerReferences } })
    const words = ['--related', 'upgradestrategies.tem.example']
    for (const kind of ['clonesets', 'cloneset', 'clone', 'clonesets.apps.kruise.io']) {
      expect(await cluster.run('brief', '--kind', kind, ...words))
        .toBe(`CLONESET                      DESIRED   UPDATED   READY   AGE
   POD                        READY   STATUS    RESTARTS   AGE
mist-api                      1         1         0       19d
├─ pod/mist-api-l94xz         0/1     Pending   0          0s
│     no scheduler has reported on it
└─ upgradestrategy/mist-api
`)
    }
    expect(await cluster.run('brief', '--kind', 'clone', '-o', 'wide')).toContain('mist:1')
  })

  test.for([{ words: ['deploy/web'] }, { words: ['deployment', 'web'] }, { words: ['deployments.apps', 'web'] }])(
    'shows only the object that $words names, with everything below it',
    async ({ words }) => {
      const cluster = await webShop()
      serveDiscovery(cluster)
      const text = await cluster.run('brief', ...words)
      expect(text).toContain('web                  0/2')
      expect(text).toContain('│  ├─ pod/web-5d-a')
      expect(text).toContain('svc/web')
      expect(text).not.toContain('extended-resource-demo')
    },
  )

  test('shows a ReplicaSet, a pod, and the pods that a Service serves', async () => {
    const cluster = await webShop()
    expect(await cluster.run('brief', 'replicasets', 'web-5d')).toMatch(/^REPLICASET [^]*\nweb-5d [^]*├─ pod\/web-5d-a/)
    expect(await cluster.run('brief', 'pod/web-5d-b')).toMatch(/^POD [^]*\nweb-5d-b +0\/1/)
    const text = await cluster.run('brief', 'service/web')
    expect(text).toContain('├─ pod/web-5d-a')
    expect(text).toContain('└─ pod/web-5d-b')
  })

  test('shows the pods of a node, whatever their namespace', async () => {
    const cluster = await webShop()
    await cluster.addNode('node-a')
    await cluster.addPod('far', {}, { nodeName: 'node-a', metadata: { namespace: 'kube-system' } })
    const text = await cluster.run('brief', 'node/node-a')
    for (const pod of ['far', 'web-5d-a', 'extended-resource-demo']) expect(text).toContain(`pod/${pod}`)
    expect(text).not.toContain('web-5d-b')
  })

  test('believes EndpointSlices before the selector of a Service', async () => {
    const cluster = await webShop()
    const pod = await cluster.client.get<Pod>(resourceRefs.pods, {
      namespace: 'default',
      name: 'extended-resource-demo',
    })
    const slice = {
      metadata: { name: 'web-x', namespace: 'default', labels: { 'kubernetes.io/service-name': 'web' } },
      endpoints: [{ targetRef: { kind: 'Pod', uid: pod.metadata.uid } }],
    }
    cluster.serve('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', { items: [slice] })
    expect(await cluster.run('brief')).not.toContain('svc/web')
    expect(await cluster.run('brief', 'service/web')).toContain('└─ pod/extended-resource-demo')
    cluster.serve('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', { items: [] })
    expect(await cluster.run('brief')).toContain('svc/web')
  })

  test('shows the Jobs of a CronJob below it', async () => {
    const cluster = testCluster()
    const podSpec = { containers: [{ name: 'c', image: 'i' }], restartPolicy: 'Never' }
    const jobSpec = { template: { metadata: {}, spec: podSpec } }
    const metadata = { name: 'nightly', namespace: 'default' }
    const cron = await cluster.create(
      { group: 'batch', version: 'v1', plural: 'cronjobs', kind: 'CronJob', namespaced: true },
      {
        apiVersion: 'batch/v1',
        kind: 'CronJob',
        metadata,
        spec: { schedule: '0 3 * * *', jobTemplate: { spec: jobSpec } },
      } as never,
    )
    const job = await cluster.create(resourceRefs.jobs, {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        name: 'nightly-1',
        namespace: 'default',
        ownerReferences: [{ ...owner(cron, 'CronJob'), apiVersion: 'batch/v1' }],
      },
      spec: jobSpec,
    } as never)
    const ownerReferences = [{ ...owner(job, 'Job'), apiVersion: 'batch/v1' }]
    await cluster.addPod('nightly-1-x', {}, { metadata: { ownerReferences } })
    const text = await cluster.run('brief')
    expect(text).toMatch(/^CRONJOB /)
    expect(text).toContain('└─ job/nightly-1')
    expect(text).toContain('   └─ pod/nightly-1-x')
    expect(text).not.toMatch(/^JOB /m)
    expect(await cluster.run('brief', 'cronjob/nightly')).toContain('   └─ pod/nightly-1-x')
  })

  test('shows the devices that a pod holds, and conditions that are a problem', async () => {
    const cluster = await webShop()
    const { client } = cluster
    const pod = await client.get<Pod>(resourceRefs.pods, { namespace: 'default', name: 'web-5d-a' })
    const resources = [
      { resourceID: 'a', health: 'Healthy' },
      { resourceID: 'b', health: 'Unhealthy' },
    ]
    const container = { name: 'ctr', ready: true, restartCount: 1, image: '', imageID: '', state: { running: {} } }
    await setStatus(cluster, pod, {
      containerStatuses: [{ ...container, allocatedResourcesStatus: [{ name: dongle, resources }] }],
    })
    const conditions = [
      { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' },
      { type: 'Available', status: 'False', reason: 'MinimumReplicasUnavailable', message: 'not enough' },
    ]
    await client.patch(
      resourceRefs.deployments,
      { namespace: 'default', name: 'web' },
      { status: { conditions } },
      { type: 'merge', subresource: 'status' },
    )
    const text = await cluster.run('brief')
    expect(text).toContain('requests example.com/dongle: 3 (holds 2, 1 unhealthy)')
    expect(text).toContain('\n│     Available is False: MinimumReplicasUnavailable: not enough\n')
    expect(text).not.toContain('NewReplicaSetAvailable')
  })

  test('finds the pods of a custom kind by its scale subresource', async () => {
    const cluster = testCluster()
    const groupVersion = 'tem.example/v1'
    const preferredVersion = { groupVersion, version: 'v1' }
    cluster.serve('/apis', { kind: 'APIGroupList', groups: [{ name: 'tem.example', preferredVersion }] })
    const served = { name: 'fleets', singularName: 'fleet', namespaced: true, kind: 'Fleet' }
    cluster.serve('/apis/tem.example/v1', { resources: [served] })
    const metadata = { name: 'f', namespace: 'default', uid: 'f1' }
    cluster.serve('/apis/tem.example/v1/namespaces/default/fleets', { items: [{ kind: 'Fleet', metadata }] })
    cluster.serve('/apis/tem.example/v1/namespaces/default/fleets/f/scale', { status: { selector: 'app=f,tier=x' } })
    await cluster.addPod('f-1', {}, { metadata: { labels: { app: 'f', tier: 'x' } } })
    await cluster.addPod('other', {}, { metadata: { labels: { app: 'f' } } })
    const text = await cluster.run('brief', 'fleet/f')
    expect(text).toContain('└─ pod/f-1')
    expect(text).not.toContain('other')
  })

  test('names the failing checks of the API server', async () => {
    const cluster = testCluster()
    cluster.serve('/readyz', {})
    expect(await cluster.run('brief', '--control')).toContain('CONTROL PANEL: API SERVER\nready\n')
    const { failing } = (await readServerState(
      {
        raw: async () => ({
          status: 500,
          headers: {},
          body: Readable.from(['[+]ping ok\n[-]etcd failed: reason withheld\n']),
        }),
      },
      { signal: new AbortController().signal, deadline: { clock: cluster.terminal.clock, ms: 1_000 } },
    )) ?? { failing: [] }
    expect(failing).toEqual(['etcd'])
  })

  test('refuses to watch in a format for programs', async () => {
    await expect(testCluster().run('brief', '-w', '-o', 'json')).rejects.toMatchObject({ code: 'BERTH_KUBECTL_USAGE' })
  })

  test('fails for an object that does not exist, and for words that name none', async () => {
    await expect(testCluster().run('brief', 'deployment/nope')).rejects.toMatchObject({
      code: 'BERTH_KUBECTL_NOT_FOUND',
      hint: 'List them: kubectl get deployments -n default',
    })
    await expect(testCluster().run('brief', 'deployment/a/b')).rejects.toMatchObject({ code: 'BERTH_KUBECTL_USAGE' })
  })

  test('cuts a long reason at the width, and shows it complete with -o wide', async () => {
    const cluster = await webShop()
    const pod = await cluster.client.get<Pod>(resourceRefs.pods, { namespace: 'default', name: 'web-5d-b' })
    const message = `waiting for ${'something that takes long '.repeat(6)}to end`
    await setStatus(cluster, pod, {
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
    })
    const text = await cluster.run('brief')
    expect(text).not.toContain('to end')
    expect(text.split('\n').find((line) => line.includes('waiting for'))).toMatch(/^.{79}…$/u)
    expect(await cluster.run('brief', '-o', 'wide')).toContain('to end')
  })

  test('shows the autoscaler and the claims of a workload', async () => {
    const cluster = await webShop()
    cluster.serve('/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers', {
      items: [
        {
          kind: 'HorizontalPodAutoscaler',
          metadata: { name: 'scale', namespace: 'default' },
          spec: { scaleTargetRef: { kind: 'Deployment', name: 'web' } },
        },
        {
          kind: 'HorizontalPodAutoscaler',
          metadata: { name: 'web', namespace: 'default' },
          spec: { scaleTargetRef: { kind: 'Deployment', name: 'shop' } },
        },
      ],
    })
    cluster.serve('/api/v1/namespaces/default/persistentvolumeclaims', {
      items: ['data', 'web'].map((name) => ({
        kind: 'PersistentVolumeClaim',
        metadata: { name, namespace: 'default' },
      })),
    })
    const before = await cluster.run('brief')
    expect(before).toContain('hpa/scale')
    expect(before).not.toContain('hpa/web')
    expect(before).not.toContain('pvc/')
    const ownerReferences = [
      owner(await cluster.client.get(resourceRefs.deployments, { namespace: 'default', name: 'web' }), 'Deployment'),
    ]
    const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }]
    await cluster.addPod('web-with-claim', {}, { volumes, metadata: { ownerReferences } })
    expect(await cluster.run('brief')).toContain('pvc/data')
  })

  test('reports a response that is not a list', async () => {
    const cluster = testCluster()
    cluster.serve('/apis/apps/v1/namespaces/default/deployments', { kind: 'Welcome' })
    await expect(cluster.run('brief')).rejects.toMatchObject({ code: 'BERTH_KUBECTL_ANSWER' })
  })

  test('refuses a kind that the server does not serve', async () => {
    await expect(testCluster().run('brief', '--kind', 'clonesets')).rejects.toMatchObject({
      code: 'BERTH_KUBECTL_KIND',
      hint: 'List the resource types: kubectl api-resources',
    })
  })

  test('skips what may not be listed and reports it', async () => {
    const cluster = await webShop()
    cluster.forbid('services')
    expect(await cluster.run('brief')).toContain('web-5d-a')
    expect(cluster.terminal.notes()).toContain('services are skipped: services is forbidden')
  })

  test('shows the control panel: controllers, pods, registry secrets by name alone, and the settings of the DNS', async () => {
    const cluster = await webShop()
    await cluster.addPod('dns-1', {}, { metadata: { namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } } })
    await cluster.addPod('coredns-lookalike', {}, { metadata: { namespace: 'kube-system' } })
    await cluster.addPod('own-scheduler-x', {}, { metadata: { namespace: 'kube-system' } })
    const renewTime = (secondsAgo: number): string =>
      new Date(cluster.terminal.clock.now() - secondsAgo * 1000).toISOString().replace('Z', '000Z')
    for (const [name, holderIdentity, seconds] of [
      ['own-scheduler', 'own-scheduler-x_1', 3],
      ['gone', 'nobody', 600],
    ] as const) {
      await cluster.create(resourceRefs.leases, {
        metadata: { name, namespace: 'kube-system' },
        spec: { holderIdentity, leaseDurationSeconds: 15, renewTime: renewTime(seconds) },
      } as never)
    }
    await cluster.create(resourceRefs.configMaps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'coredns', namespace: 'kube-system' },
      data: { Corefile: '.:53 {\n  errors\n}\n' },
    } as never)
    await cluster.create(secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'tcr', namespace: 'default' },
      type: 'kubernetes.io/dockerconfigjson',
      data: { '.dockerconfigjson': Buffer.from('{"auths":{}}').toString('base64') },
    } as never)
    const text = await cluster.run('brief', '--control')
    expect(text).toContain('CONTROL PANEL: API SERVER\nready\n')
    expect(text).toMatch(
      /kube-system +gone +expired +nobody +renewed 10m ago\nkube-system +own-scheduler +held +own-scheduler-x_1 +renewed 3s ago\n/,
    )
    expect(text).toMatch(/CONTROL PANEL: PODS\nkube-system +dns-1 [^\n]*\nkube-system +own-scheduler-x /)
    expect(text).not.toContain('lookalike')
    expect(await cluster.run('brief', '--control', '--control-match', 'lookalike')).toContain('coredns-lookalike')
    expect(text).toMatch(/CONTROL PANEL: REGISTRY SECRETS\ndefault +tcr /)
    expect(text).toContain('Corefile:\n  .:53 {\n    errors\n  }\n')
    const { controlPanel } = JSON.parse(await cluster.run('brief', '--control', '-o', 'json'))
    expect(JSON.stringify(controlPanel)).not.toContain('eyJhdXRocyI6')
  })

  test('says in each section of the control panel what this user may not read, not that there is none', async () => {
    const cluster = await webShop()
    cluster.forbid('leases', 'deployments', 'secrets', 'coredns')
    cluster.forbidClusterWide('pods')
    const text = await cluster.run('brief', '--control')
    const sections = { LEADERS: 'leases', DEPLOYMENTS: 'deployments', PODS: 'pods', 'REGISTRY SECRETS': 'secrets' }
    for (const [section, plural] of Object.entries(sections))
      expect(text).toContain(`CONTROL PANEL: ${section}\nunknown: this user may not list ${plural}\n`)
    expect(text).toContain('CONTROL PANEL: DNS\nunknown: this user may not read configmap kube-system/coredns\n')
    const { controlPanel } = JSON.parse(await cluster.run('brief', '--control', '-o', 'json'))
    expect(controlPanel).toEqual({ apiServer: expect.anything() })
  })
})
