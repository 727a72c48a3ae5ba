import { expect, test } from 'vitest'
import { callJson, createTestServer, nodeManifest, serviceAccountToken, withToken } from '../../testing.ts'

const REGISTRATION = '/apis/admissionregistration.k8s.io/v1'

test('a policy lets an app write only the node that its token names', async () => {
  const server = createTestServer()
  const post = (path: string, body: object): ReturnType<typeof server.call> => server.call('POST', path, { body })
  for (const name of ['one', 'two']) await post('/api/v1/nodes', nodeManifest(name))
  await post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } })
  const spec = { nodeName: 'one', serviceAccountName: 'robot', containers: [{ name: 'main', image: 'none' }] }
  await post('/api/v1/namespaces/default/pods', { metadata: { name: 'p' }, spec })
  const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['nodes/status'] }]
  await post(`${REGISTRATION}/validatingadmissionpolicies`, {
    metadata: { name: 'own-node' },
    spec: {
      matchConstraints: { resourceRules },
      matchConditions: [
        { name: 'robot', expression: "request.userInfo.username == 'system:serviceaccount:default:robot'" },
      ],
      variables: [
        {
          name: 'node',
          expression: "request.userInfo.extra['authentication.kubernetes.io/node-name'][0]",
        },
      ],
      validations: [
        { expression: 'variables.node == object.metadata.name', message: 'another node', reason: 'Forbidden' },
        {
          expression:
            "object.status.capacity.all(name, name in oldObject.status.capacity || name.startsWith('example.com/'))",
          message: 'another name',
        },
      ],
    },
  })
  const binding = { policyName: 'own-node', validationActions: ['Deny'] }
  await post(`${REGISTRATION}/validatingadmissionpolicybindings`, { metadata: { name: 'own-node' }, spec: binding })

  const robot = withToken(server.handle, await serviceAccountToken(server.handle, 'default', 'robot', 'p'))
  const patch = (node: string, name: string, handle = robot): ReturnType<typeof server.call> =>
    callJson(handle, 'PATCH', `/api/v1/nodes/${node}/status`, {
      body: { status: { capacity: { [name]: '4' } } },
      contentType: 'application/merge-patch+json',
    })
  expect((await patch('one', 'example.com/dongle')).status).toBe(200)
  expect((await patch('two', 'example.com/dongle')).body).toMatchObject({
    code: 403,
    message: `nodes "two" is forbidden: ValidatingAdmissionPolicy 'own-node' with binding 'own-node' denied request: another node`,
  })
  expect((await patch('one', 'other.com/dongle')).status).toBe(422)
  expect((await patch('two', 'other.com/dongle', server.handle)).status).toBe(200)
})

test('a quota refuses objects beyond its limit and frees the usage of deleted objects', async () => {
  const server = createTestServer()
  const path = '/api/v1/namespaces/default'
  const post = (plural: string, body: object): ReturnType<typeof server.call> =>
    server.call('POST', `${path}/${plural}`, { body })
  await post('resourcequotas', { metadata: { name: 'q' }, spec: { hard: { 'count/secrets': '1', secrets: '1' } } })
  expect((await post('secrets', { metadata: { name: 'a' } })).status).toBe(201)
  expect((await post('secrets', { metadata: { name: 'b' } })).body.message).toBe(
    'secrets "b" is forbidden: exceeded quota: q, requested: count/secrets=1,secrets=1, used: count/secrets=1,secrets=1, limited: count/secrets=1,secrets=1',
  )
  const used = async (): Promise<unknown> => (await server.call('GET', `${path}/resourcequotas/q`)).body.status.used
  expect(await used()).toEqual({ 'count/secrets': '1', secrets: '1' })
  await server.call('DELETE', `${path}/secrets/a`)
  expect(await used()).toEqual({ 'count/secrets': '0', secrets: '0' })
  expect((await post('secrets', { metadata: { name: 'b' } })).status).toBe(201)
})

test('a policy sees the options of a write, with the field manager that the request names', async () => {
  const server = createTestServer()
  const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }]
  const validations = [
    {
      expression: 'false',
      messageExpression: "request.options.kind + ' ' + request.options.?fieldManager.orValue('none')",
    },
  ]
  await server.call('POST', `${REGISTRATION}/validatingadmissionpolicies`, {
    body: { metadata: { name: 'options' }, spec: { matchConstraints: { resourceRules }, validations } },
  })
  await server.call('POST', `${REGISTRATION}/validatingadmissionpolicybindings`, {
    body: { metadata: { name: 'options' }, spec: { policyName: 'options', validationActions: ['Deny'] } },
  })
  const create = async (query: string) => {
    const path = `/api/v1/namespaces/default/configmaps${query}`
    return (await server.call('POST', path, { body: { metadata: { name: 'a' } } })).body
  }
  expect(await create('')).toMatchObject({ message: expect.stringContaining('denied request: CreateOptions none') })
  expect(await create('?fieldManager=me')).toMatchObject({ message: expect.stringContaining('CreateOptions me') })
})
