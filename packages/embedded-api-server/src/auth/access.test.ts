import { describe, expect, test } from 'vitest'
import { actingAs, callJson, createTestServer, serviceAccountToken, type TestServer, withToken } from '../testing.ts'
import type { AuditEvent } from '../request/audit/audit-event.ts'
import { ruleAllows, rulesOf, ruleText, uncovered } from './policy-rules.ts'

const rules = (...list: readonly object[]): ReturnType<typeof rulesOf> => rulesOf({ rules: list })
const READ_PODS = { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] }

describe('rules', () => {
  const asked = (resource: string, verb = 'get', name = '', group = ''): Parameters<typeof ruleAllows>[1] => {
    const [plural = '', subresource = ''] = resource.split('/')
    return { verb, path: '', resource: { group, version: 'v1', resource: plural, subresource, namespace: 'a', name } }
  }

  test.for([
    ['a verb and a resource', READ_PODS, asked('pods'), true],
    ['another verb', READ_PODS, asked('pods', 'delete'), false],
    ['another group', READ_PODS, asked('pods', 'get', '', 'apps'), false],
    ['a subresource that is not named', READ_PODS, asked('pods/status'), false],
    ['a subresource that is named', { ...READ_PODS, resources: ['pods/status'] }, asked('pods/status'), true],
    ['everything', { apiGroups: ['*'], resources: ['*'], verbs: ['*'] }, asked('pods/status', 'patch', 'a', 'x'), true],
    ['a subresource of everything', { ...READ_PODS, resources: ['*/scale'] }, asked('pods/scale'), true],
    ['a name that is meant', { ...READ_PODS, resourceNames: ['a'] }, asked('pods', 'get', 'a'), true],
    ['a name that is not meant', { ...READ_PODS, resourceNames: ['a'] }, asked('pods', 'get', 'b'), false],
    ['a list where names are meant', { ...READ_PODS, resourceNames: ['a'] }, asked('pods', 'list'), false],
    ['a path below', { nonResourceURLs: ['/logs/*'], verbs: ['get'] }, { verb: 'get', path: '/logs/a' }, true],
    ['a path beside', { nonResourceURLs: ['/logs/*'], verbs: ['get'] }, { verb: 'get', path: '/log' }, false],
    ['a path where resources are meant', READ_PODS, { verb: 'get', path: '/pods' }, false],
  ] as const)('%s', ([, rule, attributes, expected]) => {
    const [parsed] = rules(rule)
    expect(parsed !== undefined && ruleAllows(parsed, attributes)).toBe(expected)
  })

  test('say what they do not cover, rule by rule', () => {
    const owned = rules(READ_PODS, { nonResourceURLs: ['/logs*'], verbs: ['*'] })
    const wanted = rules(
      { apiGroups: [''], resources: ['pods', 'secrets'], verbs: ['get', 'list', 'watch'] },
      { nonResourceURLs: ['/logs/x', '/metrics'], verbs: ['get'] },
    )
    expect(uncovered(owned, wanted).map(ruleText)).toEqual([
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
  test('stand for the account until they expire', async () => {
    const server = await serverWithAccount()
    const handle = withToken(server.handle, await serviceAccountToken(server.handle, 'default', 'robot'))
    const asked = await callJson(handle, 'GET', '/api/v1/namespaces/default/pods')
    expect(asked.body.message).toBe(
      'pods is forbidden: User "system:serviceaccount:default:robot" cannot list resource "pods" in API group "" in the namespace "default"',
    )
    server.clock.advance(3_599_000)
    expect((await callJson(handle, 'GET', '/version')).status).toBe(200)
    server.clock.advance(1_000)
    expect((await callJson(handle, 'GET', '/version')).status).toBe(401)
  })

  test('end with the account, also when another one of its name comes', async () => {
    const server = await serverWithAccount()
    const handle = withToken(server.handle, await serviceAccountToken(server.handle, 'default', 'robot'))
    const accounts = '/api/v1/namespaces/default/serviceaccounts'
    await server.call('DELETE', `${accounts}/robot`)
    expect((await callJson(handle, 'GET', '/version')).status).toBe(401)
    await server.call('POST', accounts, { body: { metadata: { name: 'robot' } } })
    expect((await callJson(handle, 'GET', '/version')).status).toBe(401)
  })

  test('bound to a pod say on which node it is, and end with the pod', async () => {
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

  test('of another server, changed ones and nonsense are refused', async () => {
    const server = await serverWithAccount()
    const foreign = await serviceAccountToken((await serverWithAccount()).handle, 'default', 'robot')
    const own = await serviceAccountToken(server.handle, 'default', 'robot')
    const [header, payload = '', signature] = own.split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object
    const longer = Buffer.from(JSON.stringify({ ...claims, exp: 9_999_999_999 })).toString('base64url')
    for (const token of [
      foreign,
      `${header}.${longer}.${signature}`,
      `${header}.${payload}.`,
      'a.b.c',
      'x',
      'a.b.c.d',
    ]) {
      expect((await callJson(withToken(server.handle, token), 'GET', '/version')).status).toBe(401)
    }
  })
})

test('without RBAC whoever is known may do everything', async () => {
  const server = createTestServer()
  expect((await callJson(actingAs(server.handle, 'jane'), 'GET', '/api/v1/nodes')).status).toBe(200)
})

describe('the audit', () => {
  const events: AuditEvent[] = []
  const sink = (event: AuditEvent): void => void events.push(event)

  test('writes down who did what, and what was refused', async () => {
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

  test('writes down watches twice, bodies not at level Metadata, answers at level RequestResponse', async () => {
    const metadata = createTestServer({ audit: { level: 'Metadata', sink } })
    const path = '/api/v1/namespaces/default/configmaps'
    const { body } = await metadata.handle({ method: 'GET', path: `${path}?watch=true&timeoutSeconds=1`, headers: {} })
    metadata.clock.advance(1000)
    for await (const _ of body) continue
    expect(events.splice(0).map(({ stage, requestObject }) => [stage, requestObject])).toEqual([
      ['ResponseStarted', undefined],
      ['ResponseComplete', undefined],
    ])
    const whole = createTestServer({ audit: { level: 'RequestResponse', sink } })
    await whole.call('GET', path)
    expect(events.splice(0)[0]?.responseObject).toMatchObject({ kind: 'ConfigMapList' })
  })
})
