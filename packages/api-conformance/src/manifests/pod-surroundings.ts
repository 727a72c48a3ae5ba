import type { CaseSession } from '../runner/conformance-case.ts'

/** Creates a quota, waits until it is in effect, and returns its path. */
export async function createQuota(session: CaseSession, hard: object, spec: object = {}): Promise<string> {
  const { at, name, post, until } = session
  await post(at('resourcequotas'), { metadata: { name }, spec: { hard, ...spec } }, { isQuiet: true })
  await until(at('resourcequotas', name), ({ body }) => body.status?.hard !== undefined, { isQuiet: true })
  return at('resourcequotas', name)
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
