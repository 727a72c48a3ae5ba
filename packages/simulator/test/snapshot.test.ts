import { fakeClock } from '@berth/clock/testing'
import type { KubernetesObject } from '@berth/types'
import { callJson } from '@berth/embedded-api-server/testing'
import { describe, expect, test } from 'vitest'
import { startEmbeddedCluster, type EmbeddedCluster } from '../src/index.ts'

const NODE = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'worker', uid: 'node-uid', labels: { zone: 'a', 'kubernetes.io/arch': 'arm64' } },
  spec: {
    unschedulable: true,
    taints: [
      { key: 'dedicated', effect: 'NoSchedule' },
      { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' },
    ],
  },
  status: {
    capacity: { cpu: '4', memory: '8Gi', 'ephemeral-storage': '10Gi', pods: '20', 'example.com/dongle': '3' },
    allocatable: { cpu: '3500m', memory: '7Gi', 'ephemeral-storage': '9Gi', pods: '20', 'example.com/dongle': '2' },
  },
}
/** With all defaults, as every API server returns it. */
const template = {
  metadata: { labels: { app: 'web' } },
  spec: {
    containers: [
      {
        name: 'c',
        image: 'a',
        imagePullPolicy: 'Always',
        resources: {},
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
      },
    ],
    dnsPolicy: 'ClusterFirst',
    restartPolicy: 'Always',
    schedulerName: 'default-scheduler',
    securityContext: {},
    terminationGracePeriodSeconds: 30,
  },
}
const owner = (apiVersion: string, kind: string, name: string) => [
  { apiVersion, kind, name, uid: `${name}-uid`, controller: true },
]
const hashed = (hash: object) => ({ ...template, metadata: { labels: { app: 'web', ...hash } } })
const pod = (name: string, ownerReferences: object, spec: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: 'team',
    uid: `${name}-uid`,
    labels: { app: 'web', 'pod-template-hash': '7f9c' },
    ownerReferences,
  },
  spec: { nodeName: 'worker', ...template.spec, ...spec },
  status: { phase: 'Running', podIP: '10.1.2.3', conditions: [{ type: 'Ready', status: 'True' }] },
})
/** A Deployment as upstream's controllers leave it, with a hash that this cluster does not compute, and other objects. */
const OBJECTS = [
  NODE,
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'team', uid: 'web-uid' },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'web' } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template,
    },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: 'web-7f9c',
      namespace: 'team',
      uid: 'web-7f9c-uid',
      labels: { app: 'web', 'pod-template-hash': '7f9c' },
      ownerReferences: owner('apps/v1', 'Deployment', 'web'),
    },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'web', 'pod-template-hash': '7f9c' } },
      template: hashed({ 'pod-template-hash': '7f9c' }),
    },
    status: { replicas: 1 },
  },
  pod('web-7f9c-abcde', owner('apps/v1', 'ReplicaSet', 'web-7f9c')),
  pod('orphaned', owner('example.com/v1', 'Thing', 'unknown')),
  {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'import', namespace: 'team', uid: 'import-uid' },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      manualSelector: true,
      template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } },
    },
  },
  pod('import-1', owner('batch/v1', 'Job', 'import'), { restartPolicy: 'Never' }),
  { apiVersion: 'flowcontrol.apiserver.k8s.io/v1', kind: 'FlowSchema', metadata: { name: 'x' } },
] as readonly object[] as readonly KubernetesObject[]

async function start(
  nodes = 0,
  snapshot = OBJECTS,
): Promise<{ cluster: EmbeddedCluster; clock: ReturnType<typeof fakeClock> }> {
  const clock = fakeClock()
  const started = startEmbeddedCluster({ nodes, snapshot, clock, random: () => 0.5, serve: false })
  return { clock, cluster: await started }
}

const get = async <T>(cluster: EmbeddedCluster, path: string): Promise<T> =>
  (await callJson(cluster.handle, 'GET', path)).body as T

describe('a cluster that starts from a snapshot', () => {
  test('runs the pods where they were, and replaces none, while time passes', async () => {
    const { cluster, clock } = await start()
    await using _ = cluster
    await clock.advance(120_000)
    const { items } = await get<{
      readonly items: readonly {
        readonly metadata: { readonly name: string; readonly uid: string }
        readonly spec: { readonly nodeName?: string }
        readonly status: { readonly phase: string; readonly podIP: string }
      }[]
    }>(cluster, '/api/v1/namespaces/team/pods')
    expect(
      items.map(({ metadata, spec, status }) => [metadata.uid, spec.nodeName, status.phase, status.podIP]),
    ).toEqual(
      ['import-1', 'orphaned', 'web-7f9c-abcde'].map((name) => [`${name}-uid`, 'worker', 'Running', '10.1.2.3']),
    )
    const sets = await get<{ readonly items: readonly { readonly metadata: { readonly name: string } }[] }>(
      cluster,
      '/apis/apps/v1/namespaces/team/replicasets',
    )
    expect(sets.items.map(({ metadata }) => metadata.name)).toEqual(['web-7f9c'])
  })

  test('has nodes of the same labels, capacity, taints and cordons, which its kubelets keep', async () => {
    const { cluster, clock } = await start(1)
    await using _ = cluster
    await clock.advance(120_000)
    const node = await get<typeof NODE>(cluster, '/api/v1/nodes/worker')
    expect(node.metadata).toMatchObject({ uid: 'node-uid', labels: NODE.metadata.labels })
    expect(node.spec).toEqual(NODE.spec)
    expect(node.status).toMatchObject({
      ...NODE.status,
      conditions: expect.arrayContaining([expect.objectContaining({ type: 'Ready', status: 'True' })]) as unknown,
    })
    expect(cluster.kubelets.map(({ nodeName }) => nodeName)).toEqual(['node-1', 'worker'])
  })

  test('names the kinds that it does not serve', async () => {
    const { cluster } = await start()
    await using _ = cluster
    expect(cluster.recorded).toMatchObject({
      count: OBJECTS.length,
      unserved: ['FlowSchema (flowcontrol.apiserver.k8s.io/v1)'],
    })
  })

  test('leaves out and names what cannot run, and starts with the others', async () => {
    const named = (name: string, more: object = {}): object => ({ metadata: { name, namespace: 'team' }, ...more })
    const node = (name: string, more: object): object => ({ ...NODE, metadata: { name }, ...more })
    const bad = [
      node('../../outside', {}),
      node('amounts', { status: { capacity: { cpu: 'x' } } }),
      node('taints', { spec: { taints: 'x' } }),
      { apiVersion: 'v1', kind: 'Pod', ...named('empty', { spec: { nodeName: 'worker' } }) },
      { apiVersion: 'v1', kind: 'Pod', ...named('null', { spec: { nodeName: 'worker', containers: [null] } }) },
      pod('orphaned', []),
      { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration', ...named('hook') },
    ] as readonly KubernetesObject[]
    const { cluster } = await start(0, [...OBJECTS, ...bad])
    await using _ = cluster
    expect(cluster.recorded).toMatchObject({
      count: OBJECTS.length,
      skipped: [
        'Node ../../outside: its name is not valid',
        expect.stringContaining('Node amounts: parse quantity "x"') as unknown,
        'Node taints: its taints are not a list',
        'Pod team/empty: it has no containers',
        'Pod team/null: it has no containers',
        'Pod team/orphaned: it is in the snapshot twice',
        'ValidatingWebhookConfiguration hook: webhooks would be called from this machine',
      ],
    })
    expect(cluster.kubelets.map(({ nodeName }) => nodeName)).toEqual(['worker'])
  })

  test('gives each object a uid of its own, and objects without a namespace the default one', async () => {
    const settings = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, uid: 'same' } })
    const { cluster } = await start(0, [NODE, settings('a'), settings('b')])
    await using _ = cluster
    const uidOf = async (name: string): Promise<string> =>
      (await get<{ metadata: { uid: string } }>(cluster, `/api/v1/namespaces/default/configmaps/${name}`)).metadata.uid
    expect(await uidOf('a')).toBe('same')
    expect(await uidOf('b')).toMatch(/^[0-9a-f-]{36}$/)
  })
})
