import { describe, expect, test } from 'vitest'
import { createTestServer, podManifest, type TestServer } from '../../testing.ts'
import type { CallWebhook } from './create-webhook-calls.ts'

interface Review {
  readonly request: {
    readonly uid: string
    readonly operation: string
    readonly name: string
    readonly userInfo: { readonly username: string }
    readonly object: { readonly metadata: { readonly name: string }; readonly data?: Record<string, string> } | null
  }
}

const PATH = '/api/v1/namespaces/default/configmaps'

/** Creates a server with one webhook, whose responses come from `answer`. */
async function serverWith(
  type: 'validating' | 'mutating',
  answer: (request: Review['request']) => object,
  hook: object = {},
): Promise<{ readonly server: TestServer; readonly reviews: Review['request'][] }> {
  const reviews: Review['request'][] = []
  const webhooks: CallWebhook = (_, review) => {
    const { request } = review as Review
    reviews.push(request)
    return Promise.resolve({ response: { uid: request.uid, ...answer(request) } })
  }
  const server = createTestServer({ webhooks })
  const rules = [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['configmaps', 'pods'] }]
  const base = { name: 'judge.example.com', sideEffects: 'None', admissionReviewVersions: ['v1'], rules }
  const { status } = await server.call('POST', `/apis/admissionregistration.k8s.io/v1/${type}webhookconfigurations`, {
    body: { metadata: { name: 'judge' }, webhooks: [{ ...base, clientConfig: { url: 'https://judge' }, ...hook }] },
  })
  expect(status).toBe(201)
  return { server, reviews }
}

const patchOf = (...operations: readonly object[]): object => ({
  allowed: true,
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
})

describe('validating webhooks', () => {
  test('are called once for each creation, update and deletion', async () => {
    const { server, reviews } = await serverWith('validating', () => ({ allowed: true }))
    await server.call('POST', PATH, { body: { metadata: { generateName: 'a-' } } })
    const name = reviews[0]?.object?.metadata.name ?? ''
    await server.call('PATCH', `${PATH}/${name}`, {
      body: { data: { a: 'b' } },
      contentType: 'application/merge-patch+json',
    })
    await server.call('DELETE', `${PATH}/${name}`)
    expect(reviews.map(({ operation }) => operation)).toEqual(['CREATE', 'UPDATE', 'DELETE'])
    expect(reviews[0]?.userInfo.username).toBe('kubernetes-admin')
    expect(server.store.collection('/configmaps').size).toBe(0)
  })

  test('refuse with their own code, reason and message', async () => {
    const status = { code: 418, reason: 'Teapot', message: 'no coffee' }
    const { server } = await serverWith('validating', () => ({ allowed: false, status }))
    expect((await server.call('POST', PATH, { body: { metadata: { name: 'a' } } })).body).toMatchObject({
      code: 418,
      reason: 'Teapot',
      message: 'admission webhook "judge.example.com" denied the request: no coffee',
    })
    expect(server.store.collection('/configmaps').size).toBe(0)
  })

  test('may refuse without a message, and add warnings to requests that they allow', async () => {
    const { server } = await serverWith('validating', ({ name }) =>
      name === 'a' ? { allowed: false } : { allowed: true, warnings: ['think twice'] },
    )
    expect((await server.call('POST', PATH, { body: { metadata: { name: 'a' } } })).body).toMatchObject({
      code: 400,
      message: 'admission webhook "judge.example.com" denied the request without explanation',
    })
    const allowed = await server.call('POST', PATH, { body: { metadata: { name: 'b' } } })
    expect(allowed.headers['warning']).toBe('299 - "think twice"')
  })

  test('fail if their response has another uid than the request', async () => {
    const { server } = await serverWith('validating', () => ({ uid: 'other', allowed: true }))
    const { body } = await server.call('POST', PATH, { body: { metadata: { name: 'a' } } })
    expect(body).toMatchObject({ code: 500, reason: 'InternalError' })
    expect(body.message).toContain('failed calling webhook "judge.example.com": received invalid webhook response')
  })
})

describe('mutating webhooks', () => {
  test('patch a new object before it is validated', async () => {
    const { server } = await serverWith('mutating', () =>
      patchOf({ op: 'add', path: '/metadata/labels', value: { seen: 'yes' } }),
    )
    const { status, body } = await server.call('POST', '/api/v1/namespaces/default/pods', { body: podManifest('a') })
    expect([status, body.metadata.labels, body.spec.containers[0].imagePullPolicy]).toEqual([
      201,
      { seen: 'yes' },
      'IfNotPresent',
    ])
  })

  test('cannot make an object invalid', async () => {
    const { server } = await serverWith('mutating', () =>
      patchOf({ op: 'replace', path: '/spec/containers/0/name', value: 'Not A Name' }),
    )
    const { status } = await server.call('POST', '/api/v1/namespaces/default/pods', { body: podManifest('a') })
    expect(status).toBe(422)
  })

  test('patch the object of a server-side apply and of an update', async () => {
    const { server } = await serverWith('mutating', ({ operation }) =>
      patchOf({ op: 'add', path: '/data', value: { by: operation } }),
    )
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }
    const contentType = 'application/apply-patch+yaml'
    const applied = await server.call('PATCH', `${PATH}/a?fieldManager=x`, { body, contentType })
    expect(applied.body.data).toEqual({ by: 'CREATE' })
    const replaced = await server.call('PUT', `${PATH}/a`, { body })
    expect(replaced.body.data).toEqual({ by: 'UPDATE' })
  })
})

test('a webhook on a service without endpoints fails or is ignored as its failure policy says', async () => {
  const clientConfig = { url: undefined, service: { namespace: 'default', name: 'kubernetes' } }
  const strict = await serverWith('validating', () => ({ allowed: true }), { clientConfig })
  const refused = await strict.server.call('POST', PATH, { body: { metadata: { name: 'a' } } })
  expect(refused.body.message).toContain('no endpoints available for service "kubernetes"')
  const lenient = await serverWith('validating', () => ({ allowed: true }), { clientConfig, failurePolicy: 'Ignore' })
  expect((await lenient.server.call('POST', PATH, { body: { metadata: { name: 'a' } } })).status).toBe(201)
  expect(lenient.reviews).toEqual([])
})
