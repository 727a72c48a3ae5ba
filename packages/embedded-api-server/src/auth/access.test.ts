import { describe, expect, test } from 'vitest'
import { actingAs, callJson, createTestServer, serviceAccountToken, type TestServer, withToken } from '../testing.ts'
import type { AuditEvent } from '../request/audit/audit-event.ts'
import { ruleAllows, rulesOf, formatRule, uncoveredRules } from './policy-rules.ts'

const rules = (...list: readonly object[]): ReturnType<typeof rulesOf> => rulesOf({ rules: list })
const READ_PODS = { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }

describe('policy rules', () => {
  const attributesFor = (resource: string, verb = 'get', name = '', group = ''): Parameters<typeof ruleAllows>[1] => {
    const [plural = '', subresource = ''] = resource.split('/')
    return { verb, path: '', resource: { group, version: 'v1', resource: plural, subresource, namespace: 'a', name } }
  }

  test.for([
    ['allows its verb on its resource', READ_PODS, attributesFor('pods'), true],
    ['refuses another verb', READ_PODS, attributesFor('pods', 'delete'), false],
    ['refuses another group', READ_PODS, attributesFor('pods', 'get', '', 'apps'), false],
    ['refuses a subresource that it does not list', READ_PODS, attributesFor('pods/status'), false],
    ['allows a listed subresource', { ...READ_PODS, resources: ['pods/status'] }, attributesFor('pods/status'), true],
    [
      'allows everything with wildcards',
      { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
      attributesFor('pods/status', 'patch', 'a', 'x'),
      true,
    ],
    [
      'allows one subresource of every resource',
      { ...READ_PODS, resources: ['*/scale'] },
      attributesFor('pods/scale'),
      true,
    ],
    ['allows a listed name', { ...READ_PODS, resourceNames: ['a'] }, attributesFor('pods', 'get', 'a'), true],
    ['refuses another name', { ...READ_PODS, resourceNames: ['a'] }, attributesFor('pods', 'get', 'b'), false],
    [
      'refuses a list if it names objects',
      { ...READ_PODS, resourceNames: ['a'] },
      attributesFor('pods', 'list'),
      false,
    ],
    [
      'allows a path with its prefix',
      { nonResourceURLs: ['/logs/*'], verbs: ['get'] },
      { verb: 'get', path: '/logs/a' },
      true,
    ],
    [
      'refuses a path without its prefix',
      { nonResourceURLs: ['/logs/*'], verbs: ['get'] },
      { verb: 'get', path: '/log' },
      false,
    ],
    ['refuses paths if it lists resources', READ_PODS, { verb: 'get', path: '/pods' }, false],
  ] as const)('a rule %s', ([, rule, attributes, expected]) => {
    const [parsed] = rules(rule)
    expect(parsed !== undefined && ruleAllows(parsed, attributes)).toBe(expected)
  })

  test('uncoveredRules returns what the owned rules do not grant, grouped by target', () => {
    const owned = rules(READ_PODS, { nonResourceURLs: ['/logs*'], verbs: ['*'] })
    const wanted = rules(
      { apiGroups: [''], resources: ['pods', 'secrets'], verbs: ['get', 'list', 'watch'] },
      { nonResourceURLs: ['/logs/x', '/metrics'], verbs: ['get'] },
    )
    expect(uncoveredRules(owned, wanted).map(formatRule)).toEqual([
      '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list" "watch"]}',
      '{APIGroups:[""], Resources:["pods"], Verbs:["watch"]}',
      '{NonResourceURLs:["/metrics"], Verbs:["get"]}',
    ])
  })
})

async function serverWithAccount(): Promise<TestServer> {
  const server = createTestServer({ rbac: true })
  const body = { metadata: { name: 'robot' } }
  await server.call('POST', '/api/v1/namespaces/default/serviceaccounts', { body })
  return server
}

describe('service account tokens', () => {
  test('authenticate as the account until they expire', async () => {
    const server = await serverWithAccount()
    const handle = withToken(server.handle, await serviceAccountToken(server.handle, 'default', 'robot'))
    const response = await callJson(handle, 'GET', '/api/v1/namespaces/default/pods')
    expect(response.body.message).toBe(
      'pods is forbidden: User "system:serviceaccount:default:robot" cannot list resource "pods" in API group "" in the namespace "default"',
    )
    server.clock.advance(3_599_000)
    expect((await callJson(handle, 'GET', '/version')).status).toBe(200)
    server.clock.advance(1_000)
    expect((await callJson(handle, 'GET', '/version')).status).toBe(401)
  })

  test('become invalid when the account is deleted, even if it is created again', async () => {
    const server = await serverWithAccount()
    const handle = withToken(server.handle, await serviceAccountToken(server.handle, 'default', 'robot'))
    const accounts = '/api/v1/namespaces/default/serviceaccounts'
    await server.call('DELETE', `${accounts}/robot`)
    expect((await callJson(handle, 'GET', '/version')).status).toBe(401)
    await server.call('POST', accounts, { body: { metadata: { name: 'robot' } } })
    expect((await callJson(handle, 'GET', '/version')).status).toBe(401)
  })

  test('that are bound to a pod name its node and become invalid when the pod is deleted', async () => {
    const server = await serverWithAccount()
    await server.call('POST', '/api/v1/nodes', { body: { metadata: { name: 'n' } } })
    const spec = { nodeName: 'n', serviceAccountName: 'robot', containers: [{ name: 'main', image: 'none' }] }
    const pods = '/api/v1/namespaces/default/pods'
    await server.call('POST', pods, { body: { metadata: { name: 'p' }, spec } })
    const handle = withToken(server.handle, await serviceAccountToken(server.handle, 'default', 'robot', 'p'))
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
    const review = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
    const { status } = (await callJson(handle, 'POST', review, { body })).body
    expect(status.userInfo.extra).toMatchObject({
      'authentication.kubernetes.io/node-name': ['n'],
      'authentication.kubernetes.io/pod-name': ['p'],
    })
    await server.call('DELETE', `${pods}/p`, { body: { gracePeriodSeconds: 0 } })
    expect((await callJson(handle, 'POST', review, { body })).status).toBe(401)
  })

  test('are refused if another server signed them, or they are altered or malformed', async () => {
    const server = await serverWithAccount()
    const foreign = await serviceAccountToken((await serverWithAccount()).handle, 'default', 'robot')
    const own = await serviceAccountToken(server.handle, 'default', 'robot')
    const [header, payload = '', signature] = own.split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object
    const extended = Buffer.from(JSON.stringify({ ...claims, exp: 9_999_999_999 })).toString('base64url')
    for (const token of [
      foreign,
      `${header}.${extended}.${signature}`,
      `${header}.${payload}.`,
      'a.b.c',
      'x',
      'a.b.c.d',
    ]) {
      expect((await callJson(withToken(server.handle, token), 'GET', '/version')).status).toBe(401)
    }
  })
})

test('without RBAC every authenticated user may do everything', async () => {
  const server = createTestServer()
  expect((await callJson(actingAs(server.handle, 'jane'), 'GET', '/api/v1/nodes')).status).toBe(200)
})

describe('the audit log', () => {
  const events: AuditEvent[] = []
  const sink = (event: AuditEvent): void => void events.push(event)

  test('records allowed and refused requests with their user and object', async () => {
    const server = createTestServer({ rbac: true, audit: { level: 'Request', sink } })
    const body = { metadata: { name: 'a' }, data: { b: 'c' } }
    await server.call('POST', '/api/v1/namespaces/default/configmaps?fieldManager=x', { body })
    await callJson(actingAs(server.handle, 'jane'), 'DELETE', '/api/v1/namespaces/default/configmaps/a')
    const [created, refused] = events.splice(0)
    expect(created).toMatchObject({
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'Request',
      stage: 'ResponseComplete',
      verb: 'create',
      requestURI: '/api/v1/namespaces/default/configmaps?fieldManager=x',
      user: { username: 'kubernetes-admin' },
      objectRef: { resource: 'configmaps', namespace: 'default', apiVersion: 'v1' },
      responseStatus: { code: 201 },
      requestObject: body,
      annotations: { 'authorization.k8s.io/decision': 'allow' },
    })
    expect(refused).toMatchObject({
      verb: 'delete',
      user: { username: 'kubernetes-admin' },
      impersonatedUser: { username: 'jane' },
      objectRef: { resource: 'configmaps', namespace: 'default', name: 'a', apiVersion: 'v1' },
      responseStatus: { code: 403, reason: 'Forbidden', status: 'Failure' },
      annotations: { 'authorization.k8s.io/decision': 'forbid' },
    })
    expect(refused?.requestReceivedTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
  })

  test('records a watch at start and end, no bodies at level Metadata, responses at level RequestResponse', async () => {
    const metadata = createTestServer({ audit: { level: 'Metadata', sink } })
    const path = '/api/v1/namespaces/default/configmaps'
    const { body } = await metadata.handle({ method: 'GET', path: `${path}?watch=true&timeoutSeconds=1`, headers: {} })
    metadata.clock.advance(1000)
    for await (const _ of body) continue
    expect(events.splice(0).map(({ stage, requestObject }) => [stage, requestObject])).toEqual([
      ['ResponseStarted', undefined],
      ['ResponseComplete', undefined],
    ])
    const detailed = createTestServer({ audit: { level: 'RequestResponse', sink } })
    await detailed.call('GET', path)
    expect(events.splice(0)[0]?.responseObject).toMatchObject({ kind: 'ConfigMapList' })
  })
})
