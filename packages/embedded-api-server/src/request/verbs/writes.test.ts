import { describe, expect, test } from 'vitest'
import { createTestServer, nodeManifest, podManifest } from '../../testing.ts'

const PODS = '/api/v1/namespaces/default/pods'
const NODE = '/api/v1/nodes/n1'
const JSON_PATCH = 'application/json-patch+json'
const MERGE = 'application/merge-patch+json'
const STRATEGIC = 'application/strategic-merge-patch+json'

describe('create', () => {
  test('adds identity, defaults and the changes by admission', async () => {
    const server = createTestServer()
    const { status, body } = await server.call('POST', PODS, { body: podManifest('p', { 'example.com/dongle': 3 }) })
    expect(status).toBe(201)
    expect(body.metadata).toMatchObject({
      name: 'p',
      namespace: 'default',
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
    })
    expect(body.metadata.uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(body.spec).toMatchObject({
      schedulerName: 'default-scheduler',
      restartPolicy: 'Always',
      priority: 0,
      serviceAccountName: 'default',
    })
    expect(body.spec.tolerations.map((each: { key: string }) => each.key)).toEqual([
      'node.kubernetes.io/not-ready',
      'node.kubernetes.io/unreachable',
    ])
    expect(body.spec.containers[0].resources.requests).toEqual({ 'example.com/dongle': '3' })
    expect(body.status).toEqual({ phase: 'Pending', qosClass: 'BestEffort' })
  })

  test('copies limits to missing requests, completes generateName and accepts YAML', async () => {
    const server = createTestServer()
    const yaml =
      'metadata: {generateName: job-}\nspec: {containers: [{name: c, image: busybox, resources: {limits: {cpu: 1}}}]}'
    const { body } = await server.call('POST', PODS, { body: yaml, contentType: 'application/yaml' })
    expect(body.metadata.name).toMatch(/^job-[a-z0-9]{5}$/)
    expect(body.spec.containers[0]).toMatchObject({ imagePullPolicy: 'Always', resources: { requests: { cpu: '1' } } })
  })

  test.for([
    {
      it: 'a taken name',
      path: PODS,
      body: podManifest('taken'),
      status: 409,
      reason: 'AlreadyExists',
      message: 'pods "taken" already exists',
    },
    {
      it: 'a missing namespace',
      path: '/api/v1/namespaces/nowhere/pods',
      body: podManifest('p'),
      status: 404,
      reason: 'NotFound',
      message: 'namespaces "nowhere" not found',
    },
    {
      it: 'another kind',
      path: PODS,
      body: nodeManifest('p'),
      status: 400,
      reason: 'BadRequest',
      message: 'unknown conversion',
    },
    {
      it: 'another version',
      path: PODS,
      body: { ...podManifest('p'), apiVersion: 'v2' },
      status: 400,
      reason: 'BadRequest',
      message: 'no kind "Pod" is registered for version "v2"',
    },
    { it: 'broken JSON', path: PODS, body: '{', status: 400, reason: 'BadRequest', message: 'json parse error' },
    { it: 'a list', path: PODS, body: '[]', status: 400, reason: 'BadRequest', message: 'not an object' },
    {
      it: 'a wrong type',
      path: PODS,
      body: podManifest('p', {}, { priority: 'high' }),
      status: 400,
      reason: 'BadRequest',
      message: 'cannot unmarshal string into Go struct field PodSpec.spec.priority of type int32',
    },
    {
      it: 'a bad quantity',
      path: PODS,
      body: podManifest('p', { cpu: 'much' }),
      status: 400,
      reason: 'BadRequest',
      message: 'quantities must match',
    },
    {
      it: 'another namespace',
      path: PODS,
      body: { ...podManifest('p'), metadata: { name: 'p', namespace: 'other' } },
      status: 400,
      reason: 'BadRequest',
      message: 'does not match the namespace',
    },
    {
      it: 'no name',
      path: PODS,
      body: podManifest(''),
      status: 422,
      reason: 'Invalid',
      message: 'name or generateName is required',
    },
    {
      it: 'an unknown priority class',
      path: PODS,
      body: podManifest('p', {}, { priorityClassName: 'none' }),
      status: 403,
      reason: 'Forbidden',
      message: 'no PriorityClass with name none was found',
    },
    {
      it: 'a priority that is not computed',
      path: PODS,
      body: podManifest('p', {}, { priority: 7 }),
      status: 403,
      reason: 'Forbidden',
      message: 'must not be provided in pod spec',
    },
    {
      it: 'a bad node name',
      path: '/api/v1/nodes',
      body: nodeManifest('N_1'),
      status: 422,
      reason: 'Invalid',
      message: 'RFC 1123 subdomain',
    },
  ])('refuses $it', async ({ path, body, status, reason, message }) => {
    const server = createTestServer()
    await server.call('POST', PODS, { body: podManifest('taken') })
    const response = await server.call('POST', path, { body })
    expect(response.body).toMatchObject({ kind: 'Status', status: 'Failure', code: status, reason })
    expect(response.body.message).toContain(message)
  })

  test('drops unknown fields with a warning, or refuses them with strict validation', async () => {
    const server = createTestServer()
    const body = podManifest('p', {}, { colour: 'red' })
    const warned = await server.call('POST', `${PODS}?dryRun=All`, { body })
    expect(warned.headers['warning']).toBe('299 - "unknown field \\"spec.colour\\""')
    expect(warned.body.spec).not.toHaveProperty('colour')
    const strict = await server.call('POST', `${PODS}?fieldValidation=Strict`, { body })
    expect(strict.body.message).toBe(
      'Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.colour"',
    )
    expect((await server.call('GET', `${PODS}/p`)).status).toBe(404)
  })

  test('drops the key __proto__', async () => {
    const server = createTestServer()
    const body =
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"__proto__":{"polluted":"yes"},"a":"1"}}'
    const { body: created } = await server.call('POST', '/api/v1/namespaces/default/configmaps', { body })
    expect(created.data).toEqual({ a: '1' })
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })
})

describe('update', () => {
  test('refuses an old resourceVersion and another uid, and writes nothing without a change', async () => {
    const server = createTestServer()
    const { body: pod } = await server.call('POST', PODS, { body: podManifest('p') })
    const same = await server.call('PUT', `${PODS}/p`, { body: pod })
    expect(same.body.metadata.resourceVersion).toBe(pod.metadata.resourceVersion)
    const labelled = { ...pod, metadata: { ...pod.metadata, labels: { a: '1' } } }
    expect((await server.call('PUT', `${PODS}/p`, { body: labelled })).status).toBe(200)
    const stale = await server.call('PUT', `${PODS}/p`, { body: labelled })
    expect(stale.body).toMatchObject({ code: 409, reason: 'Conflict' })
    expect(stale.body.message).toContain(
      'the object has been modified; please apply your changes to the latest version and try again',
    )
    const other = { ...pod, metadata: { name: 'p', uid: 'other' } }
    expect((await server.call('PUT', `${PODS}/p`, { body: other })).status).toBe(409)
    expect((await server.call('PUT', `${PODS}/q`, { body: pod })).status).toBe(404)
    expect((await server.call('PUT', `${PODS}/p`, { body: { ...pod, metadata: { name: 'q' } } })).status).toBe(400)
  })

  test('preserves status on the main resource and spec on the status resource, and counts generations', async () => {
    const server = createTestServer()
    const deployments = '/apis/apps/v1/namespaces/default/deployments'
    const template = { metadata: { labels: { a: '1' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
    const body = {
      metadata: { name: 'd' },
      spec: { selector: { matchLabels: { a: '1' } }, template },
      status: { replicas: 7 },
    }
    const { body: created } = await server.call('POST', deployments, { body })
    expect(created).toMatchObject({
      metadata: { generation: 1 },
      spec: { replicas: 1, strategy: { type: 'RollingUpdate' } },
    })
    expect(created.status).toEqual({})
    const scaled = await server.call('PUT', `${deployments}/d`, {
      body: { ...created, spec: { ...created.spec, replicas: 2 }, status: { replicas: 9 } },
    })
    expect(scaled.body).toMatchObject({ metadata: { generation: 2 }, spec: { replicas: 2 } })
    expect(scaled.body.status).toEqual({})
    const counted = await server.call('PUT', `${deployments}/d/status`, {
      body: { ...scaled.body, spec: { ...created.spec, replicas: 5 }, status: { replicas: 2 } },
    })
    expect(counted.body).toMatchObject({ metadata: { generation: 2 }, spec: { replicas: 2 }, status: { replicas: 2 } })
  })

  test.for([
    { it: 'the image', change: { containers: [{ name: 'main', image: 'other' }] }, status: 200 },
    { it: 'the tolerations', change: { tolerations: [{ key: 'k', operator: 'Exists' }] }, status: 200 },
    { it: 'the node name', change: { nodeName: 'n' }, status: 422 },
    {
      it: 'the resources',
      change: { containers: [{ name: 'main', resources: { limits: { cpu: '2' }, requests: { cpu: '2' } } }] },
      status: 422,
    },
    { it: 'the containers', change: { containers: [{ name: 'second', image: 'i' }] }, status: 422 },
    { it: 'the scheduling gates', change: { schedulingGates: [{ name: 'g' }] }, status: 422 },
  ])('of a pod that changes $it returns $status', async ({ change, status }) => {
    const server = createTestServer()
    const { body } = await server.call('POST', PODS, { body: podManifest('p', { cpu: '1' }) })
    const spec =
      change.tolerations === undefined ? change : { tolerations: [...body.spec.tolerations, ...change.tolerations] }
    const response = await server.call('PATCH', `${PODS}/p`, { contentType: STRATEGIC, body: { spec } })
    expect(response.status).toBe(status)
  })
})

describe('patch', () => {
  test('advertises an extended resource exactly as in the Kubernetes guide', async () => {
    const server = createTestServer()
    await server.call('POST', '/api/v1/nodes', { body: nodeManifest('n1') })
    const body = '[{"op": "add", "path": "/status/capacity/example.com~1dongle", "value": "4"}]'
    const response = await server.call('PATCH', `${NODE}/status`, { contentType: JSON_PATCH, body })
    expect(response.status).toBe(200)
    expect(response.body.status.capacity).toEqual({ cpu: '4', memory: '8Gi', pods: '110', 'example.com/dongle': '4' })
    expect(response.body.status.allocatable).not.toHaveProperty('example.com/dongle')
    const removal = '[{"op": "remove", "path": "/status/capacity/example.com~1dongle"}]'
    expect((await server.call('PATCH', `${NODE}/status`, { contentType: JSON_PATCH, body: removal })).status).toBe(200)
    const again = await server.call('PATCH', `${NODE}/status`, { contentType: JSON_PATCH, body: removal })
    expect(again.body).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: 'the server rejected our request due to an error in our request',
    })
  })

  test('of the main resource returns 200 and does not change the status', async () => {
    const server = createTestServer()
    await server.call('POST', '/api/v1/nodes', { body: nodeManifest('n1') })
    const response = await server.call('PATCH', NODE, {
      contentType: MERGE,
      body: { status: { capacity: { 'example.com/dongle': '4' } } },
    })
    expect(response.status).toBe(200)
    expect(response.body.status.capacity).not.toHaveProperty('example.com/dongle')
  })

  test('that removes the last annotation leaves no empty map', async () => {
    const server = createTestServer()
    await server.call('POST', '/api/v1/nodes', { body: nodeManifest('n1') })
    const patch = (value: string | null) =>
      server.call('PATCH', NODE, { contentType: MERGE, body: { metadata: { annotations: { a: value } } } })
    expect((await patch('b')).body.metadata.annotations).toEqual({ a: 'b' })
    expect((await patch(null)).body.metadata).not.toHaveProperty('annotations')
  })

  test('of the status can set annotations, canonicalizes quantities and removes a key with null', async () => {
    const server = createTestServer()
    await server.call('POST', '/api/v1/nodes', { body: nodeManifest('n1') })
    const body = {
      metadata: { annotations: { 'berth.dev/advertised': '{}' } },
      status: { capacity: { 'example.com/dongle': '1000', memory: '1024Mi' } },
    }
    const response = await server.call('PATCH', `${NODE}/status`, { contentType: MERGE, body })
    expect(response.body.metadata.annotations).toEqual({ 'berth.dev/advertised': '{}' })
    expect(response.body.status.capacity).toMatchObject({ 'example.com/dongle': '1k', memory: '1Gi' })
    const removed = await server.call('PATCH', `${NODE}/status`, {
      contentType: MERGE,
      body: { status: { capacity: { 'example.com/dongle': null } } },
    })
    expect(removed.body.status.capacity).not.toHaveProperty('example.com/dongle')
  })

  test.for([
    ['4.5', 'status.capacity.example.com/dongle: Invalid value: "4500m": must be an integer'],
    ['-1', 'status.capacity.example.com/dongle: Invalid value: "-1": must be greater than or equal to 0'],
  ] as const)('refuses the quantity %s', async ([value, message]) => {
    const server = createTestServer()
    await server.call('POST', '/api/v1/nodes', { body: nodeManifest('n1') })
    const response = await server.call('PATCH', `${NODE}/status`, {
      contentType: MERGE,
      body: { status: { capacity: { 'example.com/dongle': value } } },
    })
    expect(response.body).toMatchObject({ code: 422, message: `Node "n1" is invalid: ${message}` })
    expect(response.body.details.causes[0]).toMatchObject({
      reason: 'FieldValueInvalid',
      field: 'status.capacity.example.com/dongle',
    })
  })

  test('accepts an invalid resource name in node status, as upstream', async () => {
    const server = createTestServer()
    await server.call('POST', '/api/v1/nodes', { body: nodeManifest('n1') })
    const response = await server.call('PATCH', `${NODE}/status`, {
      contentType: MERGE,
      body: { status: { capacity: { 'not a name': '1' } } },
    })
    expect(response.body.status.capacity['not a name']).toBe('1')
  })

  test('respects resourceVersion in a merge patch, and refuses unknown media types', async () => {
    const server = createTestServer()
    await server.call('POST', '/api/v1/nodes', { body: nodeManifest('n1') })
    const stale = await server.call('PATCH', `${NODE}/status`, {
      contentType: MERGE,
      body: { metadata: { resourceVersion: '1' } },
    })
    expect(stale.status).toBe(409)
    expect((await server.call('PATCH', NODE, { contentType: 'text/plain', body: {} })).status).toBe(415)
    expect((await server.call('PATCH', NODE, { contentType: MERGE, body: '7' })).status).toBe(400)
    expect((await server.call('PATCH', '/api/v1/nodes/none', { contentType: MERGE, body: {} })).status).toBe(404)
  })

  test('merges conditions by type', async () => {
    const server = createTestServer()
    await server.call('POST', '/api/v1/nodes', { body: nodeManifest('n1') })
    const patch = (type: string, status: string): Promise<{ body: { status: { conditions: unknown[] } } }> =>
      server.call('PATCH', `${NODE}/status`, {
        contentType: STRATEGIC,
        body: { status: { conditions: [{ type, status }] } },
      })
    await patch('Ready', 'True')
    await patch('DiskPressure', 'False')
    const { body } = await patch('Ready', 'False')
    expect(body.status.conditions).toEqual([
      { type: 'DiskPressure', status: 'False' },
      { type: 'Ready', status: 'False' },
    ])
  })
})
