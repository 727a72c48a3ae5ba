import { expect, test } from 'vitest'
import { createTestServer } from '../testing.ts'

const N = '/api/v1/namespaces/default'

test.for([
  { path: `${N}/secrets`, body: {}, expected: { type: 'Opaque' } },
  { path: `${N}/serviceaccounts`, body: {}, expected: { metadata: { name: 'x' } } },
  {
    path: '/api/v1/persistentvolumes',
    body: { spec: {} },
    expected: { spec: { persistentVolumeReclaimPolicy: 'Retain' }, status: { phase: 'Available' } },
  },
  {
    path: `${N}/persistentvolumeclaims`,
    body: { spec: {} },
    expected: { spec: { volumeMode: 'Filesystem' }, status: { phase: 'Pending' } },
  },
  {
    path: `${N}/services`,
    body: { spec: { ports: [{ port: 80 }] } },
    expected: {
      spec: {
        type: 'ClusterIP',
        clusterIP: expect.stringMatching(/^10\.96\./) as unknown,
        ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
      },
    },
  },
  { path: `${N}/services`, body: { spec: { clusterIP: 'None' } }, expected: { spec: { clusterIPs: ['None'] } } },
  {
    path: '/apis/scheduling.k8s.io/v1/priorityclasses',
    body: { value: 7, globalDefault: true },
    expected: { preemptionPolicy: 'PreemptLowerPriority' },
  },
  {
    path: '/api/v1/namespaces',
    body: {},
    expected: { metadata: { labels: { 'kubernetes.io/metadata.name': 'x' } }, status: { phase: 'Active' } },
  },
  {
    path: '/apis/batch/v1/namespaces/default/jobs',
    body: { spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } } },
    expected: { spec: { parallelism: 1, template: { spec: { schedulerName: 'default-scheduler' } } } },
  },
])('a new object in $path gets its defaults', async ({ path, body, expected }) => {
  const response = await createTestServer().call('POST', path, { body: { metadata: { name: 'x' }, ...body } })
  expect(response.status).toBe(201)
  expect(response.body).toMatchObject(expected)
})

test('an update of the main resource does not change the finalizers of a namespace', async () => {
  const server = createTestServer()
  const body = { spec: { finalizers: [] } }
  const response = await server.call('PATCH', '/api/v1/namespaces/default', {
    contentType: 'application/merge-patch+json',
    body,
  })
  expect(response.body.spec.finalizers).toEqual(['kubernetes'])
})

test('a pod without a priority class gets the default priority, and defaults of volumes, ports and probes', async () => {
  const server = createTestServer()
  await server.call('POST', '/apis/scheduling.k8s.io/v1/priorityclasses', {
    body: { metadata: { name: 'usual' }, value: 7, globalDefault: true },
  })
  const container = {
    name: 'c',
    image: 'registry:5000/team/app@sha256:0',
    ports: [{ containerPort: 80 }],
    readinessProbe: { httpGet: { port: 80 } },
    resources: { limits: { cpu: '1', memory: '1Gi' } },
  }
  const spec = {
    hostNetwork: true,
    containers: [container],
    volumes: [{ name: 'v' }, { name: 'm', configMap: { name: 'm' } }],
  }
  const { body } = await server.call('POST', `${N}/pods`, { body: { metadata: { name: 'p' }, spec } })
  expect(body.spec).toMatchObject({
    priority: 7,
    priorityClassName: 'usual',
    volumes: [{ emptyDir: {} }, { configMap: { defaultMode: 420 } }],
  })
  expect(body.spec.containers[0]).toMatchObject({
    imagePullPolicy: 'IfNotPresent',
    ports: [{ protocol: 'TCP', hostPort: 80 }],
    readinessProbe: { periodSeconds: 10, failureThreshold: 3 },
  })
  expect(body.status.qosClass).toBe('Guaranteed')
})
