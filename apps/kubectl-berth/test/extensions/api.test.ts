import { describe, expect, test } from 'vitest'
import { testCluster } from '../test-cluster.ts'
import { found, addEndpoints } from './survey-of.ts'
import { addObject, addProgramPod, addReportingNode, authorityPem } from './surveyed-objects.ts'

describe('webhooks', () => {
  test('one without endpoints or with an expired CA cannot be called', async () => {
    const cluster = testCluster()
    const nowMs = cluster.terminal.clock.now()
    const day = 86_400_000
    const [valid, expired] = await Promise.all([
      authorityPem(new Date(nowMs - 2 * day), new Date(nowMs + day)),
      authorityPem(new Date(nowMs - 2 * day), new Date(nowMs - day)),
    ])
    await addEndpoints(cluster, 'hook', [true])
    const webhook = (name: string, service: string, ca: string): object => ({
      name: `${name}.example.com`,
      clientConfig: { service: { namespace: 'default', name: service }, caBundle: Buffer.from(ca).toString('base64') },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    })
    await addObject(cluster, 'validatingWebhooks', 'hooks', {
      webhooks: [webhook('fine', 'hook', valid), webhook('lost', 'gone', valid), webhook('old', 'hook', expired)],
    })
    const { lines, first } = await found(cluster, 'webhooks')
    expect(lines).toEqual([
      'fine.example.com: used, healthy',
      'lost.example.com: used, unhealthy',
      'old.example.com: used, unhealthy',
    ])
    expect(first.usedBy).toEqual(['CREATE of pods'])
    const text = await cluster.run('extensions', 'webhooks')
    expect(text).toContain('Service default/gone has no ready endpoint.')
    expect(text).toContain('Its CA bundle expired on')
    expect(text).toContain('Until it answers, the API server refuses these requests.')
  })
})

describe('aggregated APIs', () => {
  test('an unavailable one is unhealthy, and autoscalers with its metrics use it', async () => {
    const cluster = testCluster()
    const service = { namespace: 'default', name: 'metrics-server' }
    cluster.serve('/apis/apiregistration.k8s.io/v1/apiservices', {
      metadata: {},
      items: [
        { metadata: { name: 'v1.apps' }, spec: { group: 'apps', version: 'v1' } },
        {
          metadata: { name: 'v1beta1.metrics.k8s.io' },
          spec: { group: 'metrics.k8s.io', version: 'v1beta1', service },
          status: { conditions: [{ type: 'Available', status: 'False', reason: 'MissingEndpoints', message: 'none' }] },
        },
      ],
    })
    cluster.serve('/apis/autoscaling/v2/horizontalpodautoscalers', {
      metadata: {},
      items: [{ metadata: { name: 'web', namespace: 'default' }, spec: { metrics: [{ type: 'Resource' }] } }],
    })
    const { lines, first } = await found(cluster, 'aggregated-apis')
    expect(lines).toEqual(['v1beta1.metrics.k8s.io: used, unhealthy'])
    expect(first.usedBy).toEqual(['HorizontalPodAutoscaler default/web'])
    expect(first.evidence).toContain('Its condition Available is False: MissingEndpoints: none.')
  })
})

describe('custom resources', () => {
  test('names the controller by its ClusterRole, counts the objects, and says who wrote a status', async () => {
    const cluster = testCluster()
    await addReportingNode(cluster, 'node-a')
    await addObject(cluster, 'customResourceDefinitions', 'widgets.example.com', {
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            subresources: { status: {} },
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        ],
      },
    })
    const widgets = { group: 'example.com', version: 'v1', plural: 'widgets', kind: 'Widget', namespaced: true }
    const widget = (name: string): object => ({
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name, namespace: 'default' },
      spec: { size: 1 },
    })
    await cluster.create(widgets, widget('a'))
    await cluster.create(widgets, widget('b'))
    await cluster.client.patch(
      widgets,
      { namespace: 'default', name: 'a' },
      { status: { ok: true } },
      { type: 'merge', subresource: 'status', fieldManager: 'widget-operator' },
    )
    await addObject(cluster, 'clusterRoles', 'operator', {
      rules: [{ apiGroups: ['example.com'], resources: ['widgets/status'], verbs: ['update'] }],
    })
    await addObject(cluster, 'clusterRoleBindings', 'operator', {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'operator' },
      subjects: [{ kind: 'ServiceAccount', namespace: 'kube-system', name: 'operator' }],
    })
    const before = await found(cluster, 'custom-resources')
    expect(before.lines).toEqual(['widgets.example.com: used, unknown'])
    expect(before.first.evidence).toContain(
      'No running pod has a ServiceAccount that may write its status: kube-system/operator.',
    )
    cluster.forbid('pods')
    expect((await found(cluster, 'custom-resources')).first.evidence).toContain('Its controller is unknown.')
    cluster.allow('pods')
    const accounts = { group: '', version: 'v1', plural: 'serviceaccounts', kind: 'ServiceAccount', namespaced: true }
    await cluster.create(accounts, { metadata: { name: 'operator', namespace: 'kube-system' } })
    await addProgramPod(cluster, 'operator-5d-1', {
      owner: 'ReplicaSet/operator-5d',
      labels: { 'pod-template-hash': '5d' },
      serviceAccountName: 'operator',
    })
    const { lines, first } = await found(cluster, 'custom-resources')
    expect(lines).toEqual(['widgets.example.com: used, healthy'])
    expect(first.usedBy).toEqual(['2 objects'])
    expect(first.evidence).toEqual([
      'Deployment kube-system/operator may write its status. 1 of 1 pods are ready.',
      'The status of its first object was written by widget-operator.',
    ])
  })
})
