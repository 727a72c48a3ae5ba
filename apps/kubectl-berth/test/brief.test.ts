import { resourceRefs } from '@berth/k8s-client'
import type { Pod } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { testCluster, type TestCluster } from './test-cluster.ts'
import { untilShown } from './until-shown.ts'
import { owner, setStatus, webShop } from './web-shop.ts'

const dongle = 'example.com/dongle'

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

  test('shows the namespace of the context with -A where nothing may be listed in all namespaces', async () => {
    const cluster = await webShop()
    const plurals = ['deployments', 'statefulsets', 'daemonsets', 'cronjobs', 'jobs', 'replicasets', 'pods', 'services']
    cluster.forbidClusterWide(...plurals, 'endpointslices', 'horizontalpodautoscalers', 'persistentvolumeclaims')
    for (const words of [[], ['deployments'], ['pods']]) {
      expect(await cluster.run('brief', '-A', ...words)).toContain('default/')
      expect(cluster.terminal.notes()).toContain(
        'Only namespace default is shown: this user may not list all namespaces.\n',
      )
    }
    cluster.forbid(...plurals, 'endpointslices', 'horizontalpodautoscalers', 'persistentvolumeclaims')
    await expect(cluster.run('brief', '-A')).rejects.toMatchObject({ code: 'BERTH_API_FORBIDDEN' })
  })

  test('-w shows it again when it changes', async () => {
    const cluster = await webShop()
    const stop = new AbortController()
    const watching = cluster.runUntil(stop.signal, 'brief', 'deployment/web', '-w')
    await untilShown(cluster, 'pod/web-5d-a   1/1     Running   1 ')
    const pod = await cluster.client.get<Pod>(resourceRefs.pods, { namespace: 'default', name: 'web-5d-a' })
    const containerStatuses = pod.status?.containerStatuses?.map((one) => ({ ...one, restartCount: 7 }))
    await setStatus(cluster, pod, { containerStatuses })
    await untilShown(cluster, 'pod/web-5d-a   1/1     Running   7 ')
    stop.abort()
    expect((await watching).match(/^DEPLOYMENT /gm)).toHaveLength(2)
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
})
