import { describe, expect, test } from 'vitest'
import { createTestServer, podManifest } from '../../testing.ts'
import { dnsLabel, labelValue, pathSegment, qualifiedName } from '../../schema/name-rules.ts'
import { validateContainerResources, validatePodLevelResources } from './validate-resources.ts'
import { validatePodSpec } from './validate-pod-spec.ts'

const causeTexts = (causes: readonly { readonly field?: string; readonly message: string }[]): readonly string[] =>
  causes.map(({ field, message }) => `${field}: ${message}`)

describe('validateContainerResources', () => {
  test.for([
    { requests: { 'example.com/dongle': '3' }, limits: { 'example.com/dongle': '3' }, expected: [] },
    { requests: { cpu: '1' }, expected: [] },
    {
      requests: { 'example.com/dongle': '3' },
      expected: ['resources.limits: Required value: Limit must be set for non overcommitable resources'],
    },
    {
      requests: { 'example.com/dongle': '2' },
      limits: { 'example.com/dongle': '3' },
      expected: ['resources.requests: Invalid value: "2": must be equal to example.com/dongle limit of 3'],
    },
    {
      requests: { cpu: '2' },
      limits: { cpu: '1' },
      expected: ['resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1'],
    },
    {
      limits: { 'example.com/dongle': '1500m' },
      expected: ['resources.limits[example.com/dongle]: Invalid value: "1500m": must be an integer'],
    },
    {
      limits: { cpu: '-1' },
      expected: ['resources.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0'],
    },
    {
      limits: { dongle: '1' },
      expected: [
        'resources.limits[dongle]: Invalid value: "dongle": must be a standard resource type or fully qualified',
        'resources.limits[dongle]: Invalid value: "dongle": must be a standard resource for containers',
      ],
    },
    {
      limits: { pods: '1' },
      expected: ['resources.limits[pods]: Invalid value: "pods": must be a standard resource for containers'],
    },
    {
      limits: { 'requests.example.com/dongle': '1' },
      expected: [
        'resources.limits[requests.example.com/dongle]: Invalid value: "requests.example.com/dongle": doesn\'t follow extended resource name standard',
      ],
    },
    { limits: { 'kubernetes.io/batch-cpu': '1' }, expected: [] },
    { limits: { 'hugepages-2Mi': '2Mi' }, expected: ['resources: Forbidden: HugePages require cpu or memory'] },
  ])('validates %o', ({ requests, limits, expected }) => {
    expect(causeTexts(validateContainerResources({ requests, limits }, 'resources'))).toEqual(expected)
  })

  test('pod-level resources cannot contain extended resources', () => {
    expect(causeTexts(validatePodLevelResources({ limits: { cpu: '1' } }, 'spec.resources'))).toEqual([])
    const causes = validatePodLevelResources({ limits: { 'example.com/dongle': '1' } }, 'spec.resources')
    expect(causes[0]?.message).toContain('Unsupported value: "example.com/dongle"')
  })
})

describe('validatePodSpec', () => {
  const container = { name: 'c', image: 'i' }
  test.for([
    [{}, 'spec.containers: Required value'],
    [{ containers: [{ name: 'c' }] }, 'spec.containers[0].image: Required value'],
    [{ containers: [{ name: 'c', image: ' i' }] }, 'must not have leading or trailing whitespace'],
    [{ containers: [{ image: 'i' }] }, 'spec.containers[0].name: Required value'],
    [{ containers: [container, container] }, 'spec.containers[1].name: Duplicate value: "c"'],
    [
      { containers: [{ ...container, imagePullPolicy: 'Maybe' }] },
      'supported values: "Always", "IfNotPresent", "Never"',
    ],
    [{ containers: [{ ...container, ports: [{}] }] }, 'ports[0].containerPort: Required value'],
    [{ containers: [{ ...container, ports: [{ containerPort: 0 }] }] }, 'must be between 1 and 65535'],
    [
      { containers: [{ ...container, volumeMounts: [{ name: 'v', mountPath: '/x' }] }] },
      'volumeMounts[0].name: Not found: "v"',
    ],
    [
      { containers: [{ ...container, volumeMounts: [{ name: 'v' }] }], volumes: [{ name: 'v' }] },
      'mountPath: Required value',
    ],
    [{ containers: [{ ...container, env: [{}] }] }, 'env[0].name: Required value'],
    [{ containers: [container], restartPolicy: 'Sometimes' }, 'Unsupported value: "Sometimes"'],
    [{ containers: [container], volumes: [{ name: 'v' }, { name: 'v' }] }, 'volumes[1].name: Duplicate value'],
    [{ containers: [container], volumes: [{}] }, 'volumes[0].name: Required value'],
    [{ containers: [container], tolerations: [{ value: 'x' }] }, 'operator must be Exists when `key` is empty'],
    [{ containers: [container], tolerations: [{ key: 'k', operator: 'Exists', value: 'x' }] }, 'value must be empty'],
    [{ containers: [container], nodeSelector: { 'a b': 'c' } }, 'name part must consist of'],
    [{ containers: [container], nodeName: 'N' }, 'RFC 1123 subdomain'],
    [{ containers: [container], topologySpreadConstraints: [{ maxSkew: 0 }] }, 'must be greater than zero'],
    [{ containers: [container], activeDeadlineSeconds: 0 }, 'must be between 1 and 2147483647'],
    [{ containers: [container], overhead: { dongle: '1' } }, 'must be a standard resource'],
  ] as const)('refuses %o: %s', ([spec, message]) => {
    expect(causeTexts(validatePodSpec(spec, 'spec')).join('\n')).toContain(message)
  })
})

describe('name rules', () => {
  test.for([
    [dnsLabel, 'a-b', 0],
    [dnsLabel, 'A', 1],
    [dnsLabel, 'a'.repeat(64), 1],
    [labelValue, '', 0],
    [labelValue, '-', 1],
    [pathSegment, 'system:node', 0],
    [pathSegment, 'a/b', 1],
    [pathSegment, '..', 1],
    [qualifiedName, 'example.com/dongle', 0],
    [qualifiedName, 'a/b/c', 1],
    [qualifiedName, '/b', 1],
    [qualifiedName, 'a/', 2],
    [qualifiedName, 'x'.repeat(64), 1],
  ] as const)('%o on %s finds %d problems', ([rule, text, count]) => {
    expect(rule(text)).toHaveLength(count)
  })
})

describe('validation of other kinds', () => {
  test.for([
    {
      path: '/api/v1/namespaces/default/pods',
      body: podManifest('p', {}, { nodeName: 'n', schedulingGates: [{ name: 'g' }] }),
      field: 'spec.nodeName',
    },
    {
      path: '/api/v1/nodes',
      body: { metadata: { name: 'n' }, spec: { taints: [{ key: 'k', effect: 'Never' }] } },
      field: 'metadata.taints[0].effect',
    },
    { path: '/api/v1/nodes', body: { metadata: { name: 'n', labels: { a: '-' } } }, field: 'metadata.labels' },
    {
      path: '/api/v1/nodes',
      body: { metadata: { name: 'n', annotations: { big: 'x'.repeat(300_000) } } },
      field: 'metadata.annotations',
    },
    { path: '/api/v1/nodes', body: { metadata: { name: 'n', finalizers: ['-'] } }, field: 'metadata.finalizers' },
    {
      path: '/api/v1/nodes',
      body: { metadata: { name: 'n', ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p' }] } },
      field: 'metadata.ownerReferences.uid',
    },
    {
      path: '/apis/coordination.k8s.io/v1/namespaces/default/leases',
      body: { metadata: { name: 'l' }, spec: { leaseDurationSeconds: 0, leaseTransitions: -1 } },
      field: 'spec.leaseDurationSeconds',
    },
    {
      path: '/api/v1/namespaces/default/events',
      body: { metadata: { name: 'e' }, involvedObject: { namespace: 'other' } },
      field: 'involvedObject.namespace',
    },
    {
      path: '/apis/apps/v1/namespaces/default/replicasets',
      body: {
        metadata: { name: 'r' },
        spec: { replicas: -1, template: { spec: { containers: [{ name: 'c', image: 'i' }] } } },
      },
      field: 'spec.replicas',
    },
    {
      path: '/apis/apps/v1/namespaces/default/replicasets',
      body: {
        metadata: { name: 'r' },
        spec: {
          selector: { matchLabels: { a: 'b' } },
          template: { spec: { containers: [{ name: 'c', image: 'i' }] } },
        },
      },
      field: 'spec.template.metadata.labels',
    },
  ])('POST $path refuses an invalid $field', async ({ path, body, field }) => {
    const response = await createTestServer().call('POST', path, { body })
    expect(response.status).toBe(422)
    expect(response.body.details.causes[0].field).toBe(field)
  })

  test('the value of a priority class and the selector of a workload are immutable', async () => {
    const server = createTestServer()
    const change = await server.call('PATCH', '/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical', {
      contentType: 'application/merge-patch+json',
      body: { value: 1 },
    })
    expect(change.body.message).toContain('may not be changed in an update')
    const spec = {
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b', c: 'd' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    }
    await server.call('POST', '/apis/apps/v1/namespaces/default/replicasets', {
      body: { metadata: { name: 'r' }, spec },
    })
    const moved = await server.call('PATCH', '/apis/apps/v1/namespaces/default/replicasets/r', {
      contentType: 'application/merge-patch+json',
      body: { spec: { selector: { matchLabels: { c: 'd' } } } },
    })
    expect(moved.body.message).toContain('field is immutable')
  })
})
