import { caseGroup, type CaseGroup, type Json, type SendOptions, type CaseSession } from '../runner/conformance-case.ts'
import { configMap } from '../manifests/manifests.ts'

const RBAC = 'rbac.authorization.k8s.io/v1'
const CLUSTER = `/apis/${RBAC}`
const AUTHORIZATION = '/apis/authorization.k8s.io/v1'

const as = (user: string, ...groups: readonly string[]): SendOptions => ({
  headers: { 'impersonate-user': user, ...(groups.length === 0 ? {} : { 'impersonate-group': groups.join(', ') }) },
})
/** Returns the case's own user. */
const userOf = ({ name }: CaseSession): string => `${name}@example.com`

const rule = (resources: readonly string[], verbs: readonly string[], more: object = {}): object => ({
  apiGroups: [''],
  resources,
  verbs,
  ...more,
})
const role = (name: string, ...rules: readonly object[]): object => ({
  apiVersion: RBAC,
  kind: 'Role',
  metadata: { name },
  rules,
})
const clusterRole = (name: string, more: object): object => ({
  apiVersion: RBAC,
  kind: 'ClusterRole',
  metadata: { name },
  ...more,
})
const user = (name: string): object => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name })
const binding = (name: string, kind: string, roleName: string, subject: object): object => ({
  apiVersion: RBAC,
  kind: 'RoleBinding',
  metadata: { name },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: roleName },
  subjects: [subject],
})
const clusterBinding = (name: string, roleName: string, subject: object): object => ({
  ...binding(name, 'ClusterRole', roleName, subject),
  kind: 'ClusterRoleBinding',
})

/** Gives the case's user a role with these rules in the namespace, and waits until it is in effect. */
async function grant(session: CaseSession, ...rules: readonly object[]): Promise<SendOptions> {
  const { at, name, post } = session
  await post(at(`${RBAC}/roles`), role(name, ...rules), { isQuiet: true })
  await post(at(`${RBAC}/rolebindings`), binding(name, 'Role', name, user(userOf(session))), { isQuiet: true })
  await untilRolesApply(session, userOf(session))
  return as(userOf(session))
}

// Waits until the roles of a user are in effect: the authorizer learns of new roles after a delay.
async function untilRolesApply({ namespace, send }: CaseSession, who: string): Promise<void> {
  const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectRulesReview', spec: { namespace } }
  for (let tries = 0; tries < 200; tries++) {
    const { body } = await send('POST', `${AUTHORIZATION}/selfsubjectrulesreviews`, review, {
      ...as(who),
      isQuiet: true,
    })
    if (body.status.resourceRules.length > 2) return
  }
}

const accessReview = (attributes: object): object => ({
  apiVersion: 'authorization.k8s.io/v1',
  kind: 'SelfSubjectAccessReview',
  spec: attributes,
})
const shownStatus = ({ status }: Json): unknown => status

/** Authorization: roles, bindings, reviews, and the messages of denied requests. */
export const access: CaseGroup = caseGroup('access', {
  'nobody-lists': async (session) => {
    await session.get(session.at('configmaps'), as(userOf(session)))
    await session.get('/api/v1/configmaps', as(userOf(session)))
    await session.get('/api/v1/nodes', as(userOf(session)))
  },
  'nobody-does-anything': async (session) => {
    const { at, name, get, post, put, patch } = session
    const options = as(userOf(session))
    await get(at('configmaps', name), options)
    await post(at('configmaps'), configMap(name), options)
    await put(at('configmaps', name), configMap(name), options)
    await patch('merge', at('configmaps', name), {}, options)
    await session.delete(at('configmaps', name), undefined, options)
    await session.delete(at('configmaps'), undefined, options)
    await get(`${at('configmaps')}?watch=true`, options)
    await get(at('apps/v1/deployments', name, 'scale'), options)
    await post(at('pods', name, 'eviction'), {}, options)
  },
  'nobody-reads-paths': async (session) => {
    await session.get('/metrics', as(userOf(session)))
    await session.get('/healthz', as(userOf(session)))
    await session.get(`/api/v1/namespaces/${session.namespace}`, as(userOf(session)))
  },
  'nobody-asks-for-what-is-not-there': async (session) => {
    await session.get(session.at('wonders'), as(userOf(session)))
    await session.get('/apis/nothing.example.com/v1/things', as(userOf(session)))
  },
  'role-allows': async (session) => {
    const options = await grant(session, rule(['configmaps'], ['get', 'create']))
    await session.post(session.at('configmaps'), configMap(session.name), { ...options, show: ({ data }) => data })
    await session.get(session.at('configmaps', session.name), { ...options, show: ({ data }) => data })
    await session.get(session.at('configmaps'), options)
    await session.get('/api/v1/namespaces/default/configmaps/a', options)
  },
  'resource-names': async (session) => {
    const options = await grant(session, rule(['configmaps'], ['get'], { resourceNames: [session.name] }))
    await session.post(session.at('configmaps'), configMap(session.name), { isQuiet: true })
    await session.get(session.at('configmaps', session.name), { ...options, show: ({ data }) => data })
    await session.get(session.at('configmaps', 'other'), options)
  },
  'subresources-are-apart': async (session) => {
    const options = await grant(session, rule(['pods'], ['*']))
    await session.get(session.at('pods', 'none'), options)
    await session.get(session.at('pods', 'none', 'status'), options)
  },
  'subresource-of-everything': async (session) => {
    const options = await grant(session, rule(['*/status'], ['get']))
    await session.get(session.at('pods', 'none', 'status'), options)
    await session.get(session.at('pods', 'none'), options)
  },
  'every-verb-and-resource': async (session) => {
    const options = await grant(session, rule(['*'], ['*']))
    await session.get(session.at('pods', 'none', 'status'), options)
    await session.get(session.at('apps/v1/deployments', 'none'), options)
  },
  'cluster-role-in-a-namespace': async (session) => {
    const { at, name, post, get } = session
    await post(`${CLUSTER}/clusterroles`, clusterRole(name, { rules: [rule(['secrets'], ['get'])] }), { isQuiet: true })
    await post(at(`${RBAC}/rolebindings`), binding(name, 'ClusterRole', name, user(userOf(session))), { isQuiet: true })
    await untilRolesApply(session, userOf(session))
    await get(at('secrets', 'none'), as(userOf(session)))
    await get('/api/v1/namespaces/default/secrets/none', as(userOf(session)))
  },
  'cluster-binding-with-paths': async (session) => {
    const { name, post, get } = session
    const rules = [rule(['nodes'], ['get']), { nonResourceURLs: ['/logs/*'], verbs: ['get'] }]
    await post(`${CLUSTER}/clusterroles`, clusterRole(name, { rules }), { isQuiet: true })
    await post(`${CLUSTER}/clusterrolebindings`, clusterBinding(name, name, user(userOf(session))), { isQuiet: true })
    await untilRolesApply(session, userOf(session))
    await get('/api/v1/nodes/none', as(userOf(session)))
    await get('/api/v1/nodes', as(userOf(session)))
    await get('/metrics', as(userOf(session)))
  },
  'group-is-bound': async (session) => {
    const { at, name, post, get } = session
    await post(at(`${RBAC}/roles`), role(name, rule(['secrets'], ['get'])), { isQuiet: true })
    const group = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: `${name}-group` }
    await post(at(`${RBAC}/rolebindings`), binding(name, 'Role', name, group), { isQuiet: true })
    await session.until(at('secrets', 'none'), ({ status }) => status === 404, { ...as('a', `${name}-group`) })
    await get(at('secrets', 'none'), as('a', 'other'))
  },
  'service-account-is-bound': async (session) => {
    const { at, name, namespace, post, get } = session
    await post(at('serviceaccounts'), { metadata: { name } }, { isQuiet: true })
    await post(at(`${RBAC}/roles`), role(name, rule(['secrets'], ['get'])), { isQuiet: true })
    const account = { kind: 'ServiceAccount', name, namespace }
    await post(at(`${RBAC}/rolebindings`), binding(name, 'Role', name, account), { isQuiet: true })
    await untilRolesApply(session, `system:serviceaccount:${namespace}:${name}`)
    await get(at('secrets', 'none'), as(`system:serviceaccount:${namespace}:${name}`))
    await get(at('pods', 'none'), as(`system:serviceaccount:${namespace}:${name}`))
  },
  'role-is-missing': async (session) => {
    const { at, name, post, get } = session
    await post(at(`${RBAC}/rolebindings`), binding(name, 'Role', 'gone', user(userOf(session))), { isQuiet: true })
    await session.until(at('secrets', 'none'), ({ body }) => body.message.includes('RBAC'), as(userOf(session)))
    await get(at('secrets'), as(userOf(session)))
  },
  'aggregated-role': async ({ name, post, until }) => {
    const labels = { [`example.com/${name}`]: 'true' }
    const part = {
      ...(clusterRole(`${name}-part`, { rules: [rule(['pods'], ['get'])] }) as Json),
      metadata: { name: `${name}-part`, labels },
    }
    await post(`${CLUSTER}/clusterroles`, part, { isQuiet: true })
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: labels }] }
    await post(`${CLUSTER}/clusterroles`, clusterRole(name, { aggregationRule, rules: [] }), { isQuiet: true })
    await until(`${CLUSTER}/clusterroles/${name}`, ({ body }) => body.rules?.length === 1, {
      show: ({ rules }) => rules,
    })
  },
  'access-review': async (session) => {
    const options = await grant(session, rule(['configmaps'], ['get']))
    const { namespace } = session
    const attributes = { verb: 'get', resource: 'configmaps', namespace }
    const show = shownStatus
    await session.post(`${AUTHORIZATION}/selfsubjectaccessreviews`, accessReview({ resourceAttributes: attributes }), {
      ...options,
      show,
    })
    await session.post(
      `${AUTHORIZATION}/selfsubjectaccessreviews`,
      accessReview({ resourceAttributes: { ...attributes, verb: 'list' } }),
      { ...options, show },
    )
    await session.post(
      `${AUTHORIZATION}/selfsubjectaccessreviews`,
      accessReview({ nonResourceAttributes: { verb: 'get', path: '/metrics' } }),
      { ...options, show },
    )
  },
  'access-review-of-somebody': async (session) => {
    await grant(session, rule(['configmaps'], ['get']))
    const review = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: {
        user: userOf(session),
        resourceAttributes: { verb: 'get', resource: 'configmaps', namespace: session.namespace },
      },
    }
    await session.post(`${AUTHORIZATION}/subjectaccessreviews`, review, { show: shownStatus })
    await session.post(`${AUTHORIZATION}/subjectaccessreviews`, review, as(userOf(session)))
  },
  'access-review-of-master': async ({ post, namespace }) => {
    const attributes = { verb: 'delete', resource: 'nodes', namespace }
    await post(`${AUTHORIZATION}/selfsubjectaccessreviews`, accessReview({ resourceAttributes: attributes }), {
      show: ({ status }) => status.allowed,
    })
  },
  'more-than-one-has': async (session) => {
    const { at, name, post } = session
    const options = await grant(session, rule(['configmaps'], ['get']), {
      apiGroups: ['rbac.authorization.k8s.io'],
      resources: ['roles', 'rolebindings'],
      verbs: ['create', 'get'],
    })
    const path = at(`${RBAC}/roles`)
    await post(path, role(`${name}-2`, rule(['configmaps'], ['get'])), { ...options, show: ({ rules }) => rules })
    await post(path, role(`${name}-3`, rule(['configmaps'], ['get', 'list']), rule(['secrets'], ['get'])), options)
    await post(path, role(`${name}-4`, rule(['*'], ['*'])), options)
  },
  'binding-to-more-than-one-has': async (session) => {
    const { at, name, post } = session
    const options = await grant(session, {
      apiGroups: ['rbac.authorization.k8s.io'],
      resources: ['rolebindings'],
      verbs: ['create'],
    })
    await post(at(`${RBAC}/roles`), role(`${name}-2`, rule(['secrets'], ['get'])), { isQuiet: true })
    await post(at(`${RBAC}/rolebindings`), binding(`${name}-2`, 'Role', `${name}-2`, user('jane')), options)
    await post(at(`${RBAC}/rolebindings`), binding(`${name}-3`, 'Role', 'none', user('jane')), options)
  },
  'escalate-and-bind': async (session) => {
    const { at, name, post } = session
    const options = await grant(
      session,
      { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles'], verbs: ['create', 'escalate', 'bind'] },
      { apiGroups: ['rbac.authorization.k8s.io'], resources: ['rolebindings'], verbs: ['create'] },
    )
    const show = ({ metadata }: Json): unknown => metadata.name
    await post(at(`${RBAC}/roles`), role(`${name}-2`, rule(['secrets'], ['get'])), { ...options, show })
    await post(at(`${RBAC}/rolebindings`), binding(`${name}-2`, 'Role', `${name}-2`, user('jane')), {
      ...options,
      show,
    })
  },
  'list-of-one-name': async (session) => {
    const { at, name, post, get, watch } = session
    await post(at('configmaps'), configMap(name), { isQuiet: true })
    const options = await grant(
      session,
      rule(['configmaps'], ['list', 'watch', 'deletecollection'], { resourceNames: [name] }),
    )
    const show = ({ items }: Json): unknown => items.map(({ metadata }: Json) => metadata.name)
    const path = at('configmaps')
    for (const selector of [
      `metadata.name=${name}`,
      `metadata.name==${name},metadata.namespace=${session.namespace}`,
      `metadata.name!=${name}`,
      'metadata.name=other',
      `metadata.name=${name},nonsense`,
      '',
    ]) {
      const parameter = selector === '' ? '' : `?fieldSelector=${encodeURIComponent(selector)}`
      await get(`${path}${parameter}`, { ...options, show })
    }
    const selected = `fieldSelector=${encodeURIComponent(`metadata.name=${name}`)}`
    const showObject = ({ metadata }: Json): unknown => metadata.name
    await watch(`${path}?watch=1&${selected}`, { ...options, frames: 1, showObject })
    await watch(at('configmaps', name).replace('/api/v1/', '/api/v1/watch/'), { ...options, frames: 1, showObject })
    await watch(`${path}?watch=1`, { ...options, frames: 1, showObject })
    await get(`${at('configmaps', name)}?watch=1`, options)
    await session.delete(`${path}?${selected}`, undefined, options)
  },
  'update-that-creates': async (session) => {
    const { at, name, put, patch } = session
    const apiGroups = ['coordination.k8s.io']
    const options = await grant(session, rule(['leases'], ['update', 'patch'], { apiGroups }))
    const path = at('coordination.k8s.io/v1/leases', name)
    const object = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name }, spec: {} }
    await put(path, object, options)
    await patch('apply', `${path}?fieldManager=one`, object, options)
  },
})
