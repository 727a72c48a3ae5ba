import type { Answer, CaseSession, Json, SendOptions } from '../runner/conformance-case.ts'
import { pod } from './manifests.ts'

const RBAC = 'rbac.authorization.k8s.io/v1'

/** Creates a quota, waits until it is in effect, and returns its path. */
export async function createQuota(session: CaseSession, hard: object, spec: object = {}): Promise<string> {
  const { at, name, post, until } = session
  await post(at('resourcequotas'), { metadata: { name }, spec: { hard, ...spec } }, { isQuiet: true })
  await until(at('resourcequotas', name), ({ body }) => body.status?.hard !== undefined, { isQuiet: true })
  return at('resourcequotas', name)
}

/** Creates a limit range, and waits until it changes or rejects the probe. */
export async function createLimitRange(session: CaseSession, limit: object, probe: object): Promise<void> {
  const { at, name, post } = session
  await post(at('limitranges'), { metadata: { name }, spec: { limits: [limit] } })
  await untilAdmitted(session, probe, ({ status, body }) => status === 403 || body.metadata.annotations !== undefined)
}

/** Waits until pods without a class get this priority. Admission learns of a new class from its own watch. */
export async function untilDefaultPriority(session: CaseSession, priority: number): Promise<void> {
  await untilAdmitted(session, pod('probe'), ({ body }) => body.spec?.priority === priority)
}

/** Creates a pod as a dry run until admission answers as expected; at most 200 times. */
async function untilAdmitted(
  { at, post, until }: CaseSession,
  probe: object,
  isExpected: (answer: Answer) => boolean,
): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (isExpected(await post(`${at('pods')}?dryRun=All`, probe, { isQuiet: true }))) return
    let asked = 0
    // Polling is how a case lets time pass, real or virtual.
    await until(at('serviceaccounts', 'default'), () => asked++ > 1, { isQuiet: true })
  }
}

/** Creates a namespace with these pod security levels, and returns the path of its pods. */
export async function createSecuredNamespace(
  session: CaseSession,
  levels: Readonly<Record<string, string>>,
): Promise<string> {
  const { name, namespace, post, until } = session
  const own = `${namespace}-${name}`
  const labels = Object.fromEntries(
    Object.entries(levels).map(([mode, level]) => [`pod-security.kubernetes.io/${mode}`, level]),
  )
  await post('/api/v1/namespaces', { metadata: { name: own, labels } }, { isQuiet: true })
  await until(`/api/v1/namespaces/${own}/serviceaccounts/default`, ({ status }) => status === 200, { isQuiet: true })
  return `/api/v1/namespaces/${own}/pods`
}

/** Gives a user full access to one resource of the core group only, and returns the options to send requests as that user. */
export async function userWithAccessTo(
  { at, name, namespace, post, send }: CaseSession,
  resource: string,
): Promise<SendOptions> {
  const called = `${name}-${resource.replace('/', '-')}`
  const rules = [{ apiGroups: [''], resources: [resource], verbs: ['*'] }]
  await post(at(`${RBAC}/roles`), { metadata: { name: called }, rules }, { isQuiet: true })
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: called }
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: called }]
  await post(at(`${RBAC}/rolebindings`), { metadata: { name: called }, roleRef, subjects }, { isQuiet: true })
  const as: SendOptions = { headers: { 'impersonate-user': called } }
  const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectRulesReview', spec: { namespace } }
  // Roles are in effect once the authorizer knows them.
  for (let tries = 0; tries < 200; tries++) {
    const path = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews'
    const { body } = await send('POST', path, review, { ...as, isQuiet: true })
    if (body.status.resourceRules.some((rule: Json) => rule.resources.includes(resource))) break
  }
  return as
}
