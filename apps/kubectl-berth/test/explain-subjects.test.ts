import { resourceRefs } from '@berth/k8s-client'
import type { KubernetesObject } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { testCluster, type TestCluster } from './test-cluster.ts'

const dongle = 'example.com/dongle'

async function clusterWithOneDongle(files: Readonly<Record<string, string>> = {}): Promise<TestCluster> {
  const cluster = testCluster(files)
  await cluster.addNode('node-a', { [dongle]: '1' })
  return cluster
}

/** Creates a workload whose pods request dongles. */
function createWorkload(
  cluster: TestCluster,
  resource: keyof typeof resourceRefs,
  { name, ...more }: { readonly name: string; readonly [field: string]: unknown },
): Promise<KubernetesObject> {
  const { group, version, kind } = resourceRefs[resource]
  const resources = { requests: { [dongle]: '2' }, limits: { [dongle]: '2' } }
  const { metadata, ...spec } = more
  return cluster.create(resourceRefs[resource], {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: { name, namespace: 'default', ...(metadata as object) },
    spec: {
      ...(resource === 'jobs' ? {} : { selector: { matchLabels: { app: name } } }),
      template: {
        metadata: { labels: { app: name } },
        spec: {
          containers: [{ name: 'ctr', image: 'nginx', resources }],
          restartPolicy: resource === 'jobs' ? 'Never' : 'Always',
        },
      },
      ...spec,
    },
  } as KubernetesObject)
}

const ownedBy = ({ kind = '', apiVersion = '', metadata }: KubernetesObject) => ({
  ownerReferences: [{ apiVersion, kind, name: metadata?.name ?? '', uid: metadata?.uid ?? '', controller: true }],
})

/** A Deployment with a ReplicaSet and pods. */
async function addDeployment(
  cluster: TestCluster,
  name: string,
  podNames: readonly string[],
): Promise<KubernetesObject> {
  const deployment = await createWorkload(cluster, 'deployments', { name })
  const set = await createWorkload(cluster, 'replicaSets', {
    name: `${name}-1`,
    metadata: ownedBy({ ...deployment, kind: 'Deployment', apiVersion: 'apps/v1' }),
  })
  const metadata = ownedBy({ ...set, kind: 'ReplicaSet', apiVersion: 'apps/v1' })
  for (const pod of podNames) await cluster.addPod(pod, { [dongle]: '2' }, { metadata })
  return set
}

const line = (text: string): string => text.replaceAll(/\s+/g, ' ')

describe('explain of several pods', () => {
  test('groups them by cause, with counts, the cheapest fix and the command that tells more', async () => {
    const cluster = await clusterWithOneDongle()
    await cluster.addPod('a', { [dongle]: '2' })
    await cluster.addPod('b', { [dongle]: '2' })
    await cluster.addPod('c', {}, { schedulingGates: [{ name: 'example.com/quota' }] })
    const text = await cluster.run('explain', 'pod', 'a', 'b', 'c')
    expect(text).toContain(`3 pods, 2 causes

2 pods: 0/1 nodes are available: 1 Insufficient example.com/dongle.
  default/a, default/b
  Would help: Request 1 example.com/dongle instead of 2: node node-a has that
  much left.
`)
    expect(text).toContain('  kubectl berth explain pod a -n default\n')
    expect(line(text)).toContain(
      '1 pod: No scheduler looks at the pod before its scheduling gates are removed: example.com/quota.',
    )
  })

  test('takes KIND/NAME words and counts a pod once', async () => {
    const cluster = await clusterWithOneDongle()
    await addDeployment(cluster, 'web', ['web-1-x'])
    await cluster.addPod('a', { [dongle]: '2' })
    const { groups } = JSON.parse(await cluster.run('explain', 'pod/web-1-x', 'deploy/web', 'pod/a', '-o', 'json'))
    expect(groups).toMatchObject([
      {
        count: 2,
        cause: '0/1 nodes are available: 1 Insufficient example.com/dongle.',
        pods: [
          { namespace: 'default', name: 'web-1-x' },
          { namespace: 'default', name: 'a' },
        ],
        answer: { pod: { name: 'web-1-x' }, fits: false },
      },
    ])
  })
})

describe('explain of a workload', () => {
  test('explains the pending pods of a Deployment, and changes the Deployment', async () => {
    const cluster = await clusterWithOneDongle()
    await addDeployment(cluster, 'web', ['web-1-x', 'web-1-y'])
    await cluster.addPod('other', { [dongle]: '5' })
    const text = await cluster.run('explain', 'deploy/web')
    expect(text).toContain('2 pods, 1 cause\n')
    expect(text).toContain('kubectl set resources deployment/web -n default')
    expect(text).not.toContain('other')
  })

  test('explains the only pending pod of a Job in full', async () => {
    const cluster = await clusterWithOneDongle()
    const job = await createWorkload(cluster, 'jobs', { name: 'train' })
    await cluster.addPod(
      'train-x',
      { [dongle]: '2' },
      { metadata: ownedBy({ ...job, kind: 'Job', apiVersion: 'batch/v1' }) },
    )
    expect(await cluster.run('explain', 'job', 'train')).toContain('Pod default/train-x asks for example.com/dongle: 2')
  })

  test('says when no pod waits', async () => {
    const cluster = await clusterWithOneDongle()
    const job = await createWorkload(cluster, 'jobs', { name: 'train' })
    await cluster.addPod(
      'train-x',
      {},
      { nodeName: 'node-a', metadata: ownedBy({ ...job, kind: 'Job', apiVersion: 'batch/v1' }) },
    )
    await cluster.client.patch(
      resourceRefs.pods,
      { namespace: 'default', name: 'train-x' },
      { status: { phase: 'Running' } },
      { type: 'merge', subresource: 'status' },
    )
    expect(await cluster.run('explain', 'job/train')).toBe('')
    expect(cluster.terminal.notes()).toBe('job/train in namespace default: none of its 1 pods is pending.\n')
  })

  test.for([
    {
      it: 'a suspended Job',
      resource: 'jobs',
      more: { suspend: true },
      says: 'it is suspended (spec.suspend is true).',
    },
    { it: 'a Deployment scaled to 0', resource: 'deployments', more: { replicas: 0 }, says: 'spec.replicas is 0.' },
    {
      it: 'a StatefulSet that no controller looks at',
      resource: 'statefulSets',
      more: {},
      says: 'Is the controller manager running?',
    },
  ] as const)('says why $it has no pods, and explains its template', async ({ resource, more, says }) => {
    const cluster = await clusterWithOneDongle()
    await createWorkload(cluster, resource, { name: 'web', ...more })
    const text = line(await cluster.run('explain', `${resource.toLowerCase()}/web`))
    expect(text).toContain(`default/web has no pods: `)
    expect(text).toContain(says)
    expect(text).toContain('Pod default/web asks for example.com/dongle: 2 and fits on none of 1 node.')
  })

  test('names the quota for which the controller cannot create pods', async () => {
    const cluster = await clusterWithOneDongle()
    const set = await addDeployment(cluster, 'web', [])
    await cluster.create(resourceRefs.events, {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: 'refused', namespace: 'default' },
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'replicaset-controller',
      reportingInstance: 'replicaset-controller-1',
      action: 'Create',
      reason: 'FailedCreate',
      note: 'pods "web-1-x" is forbidden: exceeded quota: dongles',
      type: 'Warning',
      regarding: {
        kind: 'ReplicaSet',
        namespace: 'default',
        name: 'web-1',
        uid: set.metadata?.uid,
        apiVersion: 'apps/v1',
      },
    } as KubernetesObject)
    expect(line(await cluster.run('explain', 'deployment', 'web'))).toContain(
      'Deployment default/web has no pods: its controller cannot create them: pods "web-1-x" is forbidden: exceeded quota: dongles',
    )
  })

  test('fails for a workload that does not exist, and names the next command', async () => {
    await expect(testCluster().run('explain', 'deploy/web', '-n', 'shop')).rejects.toMatchObject({
      code: 'BERTH_KUBECTL_NOT_FOUND',
      message: 'read deployment shop/web: not found',
      hint: 'List them: kubectl get deployments -n shop',
    })
  })
})

describe('explain --all-pending', () => {
  test('groups the pending pods of the namespace, decides pods of one workload once, and leaves running ones out', async () => {
    const cluster = await clusterWithOneDongle()
    await addDeployment(
      cluster,
      'web',
      Array.from({ length: 7 }, (_, index) => `web-1-${index}`),
    )
    await cluster.create(resourceRefs.namespaces, { metadata: { name: 'lab' } })
    await cluster.addPod('far', { [dongle]: '9' }, { metadata: { namespace: 'lab' } })
    const text = await cluster.run('explain', '--all-pending')
    expect(text).toContain('7 pods, 1 cause\n')
    expect(line(text)).toContain('default/web-1-4 and 2 more')
    expect(text).not.toContain('lab/')
    expect(await cluster.run('explain', '--all-pending', '-A')).toContain('8 pods')
  })

  test('prints the group also for a single pod, and everything with -o wide', async () => {
    const cluster = await clusterWithOneDongle()
    await cluster.addPod('a', { [dongle]: '2' })
    expect(await cluster.run('explain', '--all-pending')).toContain('1 pod, 1 cause\n')
    expect(await cluster.run('explain', '--all-pending', '-o', 'wide')).toContain('  Pod default/a asks for')
  })

  test('says that no pod is pending', async () => {
    const cluster = await clusterWithOneDongle()
    expect(await cluster.run('explain', '--all-pending', '-o', 'json')).toBe('{\n  "groups": []\n}\n')
    expect(await cluster.run('explain', '--all-pending')).toBe('')
    expect(cluster.terminal.notes()).toContain('No pod of namespace default is pending.\n')
  })
})

describe('explain -f', () => {
  const pod = (name: string, units: number): string =>
    `kind: Pod\nmetadata: {name: ${name}}\nspec: {containers: [{name: c, resources: {limits: {${dongle}: ${units}}}}]}\n`

  test('groups the pods of a file', async () => {
    const cluster = await clusterWithOneDongle({ 'pods.yaml': `${pod('one', 1)}---\n${pod('two', 2)}` })
    const text = await cluster.run('explain', '-f', 'pods.yaml')
    expect(text).toContain('2 pods, 2 causes\n')
    expect(text).toContain('1 pod: The pod fits; its scheduler has not placed it yet.\n')
    expect(text).not.toContain('kubectl berth explain pod')
  })

  test('names the quota that the pod would exceed', async () => {
    const cluster = await clusterWithOneDongle({ 'pod.yaml': pod('one', 1) })
    const quota = (name: string, more: object) => ({
      metadata: { name, namespace: 'default' },
      spec: { hard: { [`requests.${dongle}`]: '4' }, ...more },
      status: { used: { [`requests.${dongle}`]: '4' } },
    })
    cluster.serve('/api/v1/namespaces/default/resourcequotas', {
      metadata: {},
      items: [quota('dongles', {}), quota('batch', { scopes: ['Terminating'] }), { ...quota('roomy', {}), status: {} }],
    })
    const text = line(await cluster.run('explain', '-f', 'pod.yaml'))
    expect(text).toContain(
      'STATUS The API server would refuse the pod, because it exceeds the ResourceQuota dongles (requests.example.com/dongle: 1 more than the 4 in use exceeds 4). kubectl describe quota dongles -n default',
    )
    expect(text).not.toMatch(/ResourceQuota (batch|roomy)/)
  })
})
