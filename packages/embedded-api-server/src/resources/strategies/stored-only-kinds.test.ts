import { expect, test } from 'vitest'
import { createTestServer } from '../../testing.ts'

const INGRESSES = '/apis/networking.k8s.io/v1/namespaces/default/ingresses'
const CLASSES = '/apis/networking.k8s.io/v1/ingressclasses'
const AUTOSCALERS = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers'

const create = (path: string, spec: object) =>
  createTestServer().call('POST', path, { body: { metadata: { name: 'x' }, spec } })
const backend = { service: { name: 'web', port: { number: 80 } } }
const withPath = (path: object): object => ({ rules: [{ host: 'a.example', http: { paths: [{ backend, ...path }] } }] })
const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }
const AT = 'spec.rules[0].http.paths[0]'

test.for([
  { it: 'an Ingress with a default backend', path: INGRESSES, spec: { defaultBackend: backend }, added: {} },
  { it: 'an Ingress with rules', path: INGRESSES, spec: withPath({ path: '/', pathType: 'Prefix' }), added: {} },
  {
    it: 'an IngressClass',
    path: CLASSES,
    spec: { controller: 'example.com/c' },
    added: {},
  },
  {
    it: 'a HorizontalPodAutoscaler, with the default metric',
    path: AUTOSCALERS,
    spec: { scaleTargetRef, maxReplicas: 3 },
    added: {
      minReplicas: 1,
      metrics: [
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
        },
      ],
    },
  },
])('stores $it', async ({ path, spec, added }) => {
  const { status, body } = await create(path, spec)
  expect([status, body.spec]).toEqual([201, { ...spec, ...added }])
})

test('fills in the scope of the parameters of an IngressClass', async () => {
  const parameters = { apiGroup: 'example.com', kind: 'Settings', name: 'a' }
  const { body } = await create(CLASSES, { controller: 'example.com/c', parameters })
  expect(body.spec.parameters).toEqual({ ...parameters, scope: 'Cluster' })
})

test.for([
  [INGRESSES, {}, 'spec: Invalid value: []: either `defaultBackend` or `rules` must be specified'],
  [INGRESSES, { rules: [{ http: { paths: [] } }] }, 'spec.rules[0].http.paths: Required value'],
  [INGRESSES, withPath({ path: '/' }), `${AT}.pathType: Required value: pathType must be specified`],
  [INGRESSES, withPath({ path: 'a', pathType: 'Exact' }), `${AT}.path: Invalid value: "a": must be an absolute path`],
  [
    INGRESSES,
    withPath({ path: '/', pathType: 'Some' }),
    'Unsupported value: "Some": supported values: "Exact", "ImplementationSpecific", "Prefix"',
  ],
  [INGRESSES, { defaultBackend: {} }, 'spec.defaultBackend: Required value: a service or resource is required'],
  [
    INGRESSES,
    { defaultBackend: { ...backend, resource: { kind: 'A', name: 'a' } } },
    'cannot set both resource and service backends',
  ],
  [INGRESSES, { defaultBackend: { service: { port: { number: 1 } } } }, 'spec.defaultBackend.service.name: Required'],
  [INGRESSES, { defaultBackend: { service: { name: 'a' } } }, 'port name or number is required'],
  [CLASSES, {}, 'spec.controller: Required value'],
  [AUTOSCALERS, { scaleTargetRef, maxReplicas: 0 }, 'spec.maxReplicas: Invalid value: 0: must be greater than 0'],
  [
    AUTOSCALERS,
    { scaleTargetRef, minReplicas: 3, maxReplicas: 2 },
    'spec.maxReplicas: Invalid value: 2: must be greater than or equal to `minReplicas`',
  ],
  [AUTOSCALERS, { scaleTargetRef: { kind: 'Deployment', name: '' }, maxReplicas: 1 }, 'scaleTargetRef.name: Required'],
] as const)('refuses at %s %o: %s', async ([path, spec, message]) => {
  const { status, body } = await create(path, spec)
  expect([status, body.message]).toEqual([422, expect.stringContaining(message)])
})

test.for([
  [
    INGRESSES,
    { ingressClassName: 'c', ...withPath({ path: '/', pathType: 'Prefix' }) },
    'Name Class Hosts Address Ports Age',
    ['x', 'c', 'a.example', '', '80'],
  ],
  [CLASSES, { controller: 'example.com/c' }, 'Name Controller Parameters Age', ['x', 'example.com/c', '<none>']],
  [
    AUTOSCALERS,
    { scaleTargetRef, maxReplicas: 3 },
    'Name Reference MinPods MaxPods Replicas Age',
    ['x', 'Deployment/web', 1, 3, 0],
  ],
] as const)('serves a table at %s', async ([path, spec, names, cells]) => {
  const server = createTestServer()
  await server.call('POST', path, { body: { metadata: { name: 'x' }, spec } })
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'
  const { body } = await server.call('GET', path, { headers: { accept } })
  const columns = body.columnDefinitions as readonly { readonly name: string }[]
  expect(columns.map(({ name }) => name).join(' ')).toBe(names)
  expect(body.rows[0].cells.slice(0, -1)).toEqual(cells)
})
