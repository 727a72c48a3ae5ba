import { caseGroup, type CaseGroup, type Json, type CaseSession } from '../runner/conformance-case.ts'
import { configMap, node, pod } from '../manifests/manifests.ts'

const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' }
const METADATA = { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json' }
const METADATA_LIST = { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json' }

async function threeMaps({ at, name, post }: CaseSession): Promise<void> {
  for (const [index, tier] of ['front', 'back', 'none'].entries()) {
    const labels = { of: name, ...(tier === 'none' ? {} : { tier }) }
    await post(at('configmaps'), configMap(`${name}-${index}`, { a: String(index) }, { labels }), { isQuiet: true })
  }
}

const names = ({ kind, apiVersion, metadata, items }: Json): unknown => ({
  kind,
  apiVersion,
  metadata,
  names: items.map(({ metadata }: Json) => metadata.name),
})
/** Picks the names of a list, or the error. */
const namesOrRefusal = (body: Json): unknown => (body.items === undefined ? body : names(body))

const selecting =
  (selector: string) =>
  async (session: CaseSession): Promise<void> => {
    await threeMaps(session)
    await session.get(
      `${session.at('configmaps')}?labelSelector=${encodeURIComponent(`of=${session.name},${selector}`)}`,
      {
        show: namesOrRefusal,
      },
    )
  }

const byFields =
  (selector: string) =>
  async (session: CaseSession): Promise<void> => {
    await session.post(session.at('pods'), pod(`${session.name}-a`, {}, {}, { labels: { of: session.name } }), {
      isQuiet: true,
    })
    await session.get(
      `${session.at('pods')}?labelSelector=of%3D${session.name}&fieldSelector=${encodeURIComponent(selector.replaceAll('NAME', session.name))}`,
      { show: namesOrRefusal },
    )
  }

/** GET of objects and lists: selectors, pages, resource versions, representations. */
export const reading: CaseGroup = caseGroup('read', {
  missing: ({ at, name, get }) => get(at('configmaps', name)),
  'missing-in-group': ({ at, name, get }) => get(at('apps/v1/deployments', name)),
  'missing-cluster-scoped': ({ name, get }) => get(`/api/v1/nodes/${name}`),
  'unknown-resource': ({ at, get }) => get(at('dongles')),
  'unknown-subresource': async ({ at, name, post, get }) => {
    await post(at('configmaps'), configMap(name), { isQuiet: true })
    await get(at('configmaps', name, 'status'))
  },
  'version-of-the-future': async ({ at, get, name, post }) => {
    await post(at('configmaps'), configMap(name), { isQuiet: true })
    await get(`${at('configmaps', name)}?resourceVersion=999999999999`, {
      show: ({ code, reason, details }) => ({ code, reason, details }),
    })
  },
  'version-no-number': async ({ at, get, name, post }) => {
    await post(at('configmaps'), configMap(name), { isQuiet: true })
    await get(`${at('configmaps', name)}?resourceVersion=abc`)
  },
  'version-zero': async ({ at, get, name, post, until }) => {
    await post(at('configmaps'), configMap(name), { isQuiet: true })
    await until(`${at('configmaps', name)}?resourceVersion=0`, ({ status }) => status === 200)
    await get(`${at('configmaps')}?resourceVersion=0&limit=1&fieldSelector=metadata.name%3D${name}`, { show: names })
  },
  'list-of-namespace': (session) => session.get(session.at('apps/v1/replicasets')),
  'list-whole-objects': async (session) => {
    await threeMaps(session)
    await session.get(`${session.at('configmaps')}?labelSelector=of%3D${session.name}`)
  },
  'list-all-namespaces': async (session) => {
    await threeMaps(session)
    await session.get(`/api/v1/configmaps?labelSelector=of%3D${session.name}`, { show: names })
  },
  'list-of-missing-namespace': ({ get }) => get('/api/v1/namespaces/exchanges-no-such-namespace/configmaps'),
  'label-equals': selecting('tier=front'),
  'label-double-equals': selecting('tier==front'),
  'label-differs': selecting('tier!=front'),
  'label-in': selecting('tier in (front, back)'),
  'label-not-in': selecting('tier notin (front)'),
  'label-exists': selecting('tier'),
  'label-is-missing': selecting('!tier'),
  'label-empty-value': selecting('tier='),
  'label-greater': selecting('tier>1'),
  'label-greater-no-number': selecting('tier>a'),
  'label-in-nothing': selecting('tier in ()'),
  'label-broken': selecting('tier in (front'),
  'label-bad-key': selecting('-a=b'),
  'label-bad-value': selecting('a=b c'),
  'label-two-operators': selecting('a==b=c'),
  'field-name': byFields('metadata.name=NAME-a'),
  'field-name-differs': byFields('metadata.name!=NAME-a'),
  'field-node-name': byFields('spec.nodeName='),
  'field-phase': byFields('status.phase=Pending'),
  'field-scheduler': byFields('spec.schedulerName=exchanges.example.com'),
  'field-two-terms': byFields('status.phase!=Running,spec.restartPolicy=Always'),
  'field-unknown': byFields('spec.hostname=a'),
  'field-broken': byFields('metadata.name'),
  'field-in': byFields('metadata.name in (a)'),
  'field-unknown-of-config-map': ({ at, get }) => get(`${at('configmaps')}?fieldSelector=data.a%3D1`),
  'field-name-on-get-of-one': async ({ at, name, post, get }) => {
    await post(at('configmaps'), configMap(name), { isQuiet: true })
    await get(`${at('configmaps', name)}?fieldSelector=metadata.name%3Dother`, {
      show: ({ metadata }) => metadata.name,
    })
  },
  pages: async (session) => {
    await threeMaps(session)
    const path = `${session.at('configmaps')}?labelSelector=of%3D${session.name}&limit=2`
    const { body } = await session.get(path, { show: names })
    await session.get(`${path}&continue=${encodeURIComponent(body.metadata.continue)}`, { show: names })
  },
  'pages-without-selector': async ({ at, name, post, get }) => {
    const path = at('coordination.k8s.io/v1/leases')
    for (const part of ['a', 'b', 'c']) await post(path, { metadata: { name: `${name}-${part}` } }, { isQuiet: true })
    const { body } = await get(`${path}?limit=2`, { show: names })
    await get(`${path}?limit=2&continue=${encodeURIComponent(body.metadata.continue)}`, { show: names })
  },
  'pages-are-consistent': async (session) => {
    await threeMaps(session)
    const path = `${session.at('configmaps')}?labelSelector=of%3D${session.name}&limit=1`
    const { body } = await session.get(path, { show: names })
    await session.delete(session.at('configmaps', `${session.name}-2`), undefined, { isQuiet: true })
    await session.get(`${path.replace('limit=1', 'limit=5')}&continue=${encodeURIComponent(body.metadata.continue)}`, {
      show: names,
    })
  },
  'continue-is-nonsense': ({ at, get }) => get(`${at('configmaps')}?limit=1&continue=nonsense`),
  'continue-with-version': async (session) => {
    await threeMaps(session)
    const path = `${session.at('configmaps')}?labelSelector=of%3D${session.name}&limit=1`
    const { body } = await session.get(path, { isQuiet: true })
    await session.get(`${path}&resourceVersion=5&continue=${encodeURIComponent(body.metadata.continue)}`, {
      show: ({ code, reason, message }) => ({ code, reason, message }),
    })
  },
  'limit-with-version': async (session) => {
    await threeMaps(session)
    const path = `${session.at('configmaps')}?labelSelector=of%3D${session.name}`
    const { body } = await session.get(path, { isQuiet: true })
    await session.delete(session.at('configmaps', `${session.name}-1`), undefined, { isQuiet: true })
    const { resourceVersion } = body.metadata
    await session.get(`${path}&limit=10&resourceVersion=${resourceVersion}`, {
      show: (list) => ({ names: names(list), isThatVersion: list.metadata.resourceVersion === resourceVersion }),
    })
  },
  'continue-elsewhere': async (session) => {
    await threeMaps(session)
    const labels = { of: session.name }
    for (const part of ['0', '2']) {
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: `${session.name}-${part}`, labels } }
      await session.post(session.at('secrets'), secret, { isQuiet: true })
    }
    const query = `?labelSelector=of%3D${session.name}&limit=1`
    const { body } = await session.get(`${session.at('configmaps')}${query}`, { isQuiet: true })
    const next = `&continue=${encodeURIComponent(body.metadata.continue)}`
    // With another kind or selection, the page starts after the key in the token.
    await session.get(`${session.at('secrets')}${query}${next}`, { show: names })
    await session.get(`${session.at('configmaps')}?limit=1${next}`, { show: names })
  },
  'continue-made-by-hand': async (session) => {
    await threeMaps(session)
    const path = `${session.at('configmaps')}?labelSelector=of%3D${session.name}&limit=5`
    const { body } = await session.get(path, { isQuiet: true })
    const rv = Number(body.metadata.resourceVersion)
    for (const token of [
      { v: 'meta.k8s.io/v1', rv, start: `${session.name}-2` },
      { v: 'meta.k8s.io/v1', rv: -1, start: `${session.name}-2` },
      { v: 'meta.k8s.io/v1', rv: 0, start: `${session.name}-2` },
      { v: 'meta.k8s.io/v1', rv: 999_999_999, start: `${session.name}-2` },
      { v: 'meta.k8s.io/v1', rv },
      { v: 'meta.k8s.io/v1', rv, start: '../secrets/a' },
      { v: 'example.com/v1', rv, start: 'a' },
    ]) {
      const text = Buffer.from(JSON.stringify(token)).toString('base64url')
      await session.get(`${path}&continue=${text}`, { show: names })
    }
    await session.get(`${path}&continue=%2B%2B`)
  },
  'limit-negative': ({ at, get }) => get(`${at('apps/v1/replicasets')}?limit=-1`),
  'limit-no-number': ({ at, get }) => get(`${at('apps/v1/replicasets')}?limit=many`),
  'match-without-version': ({ at, get }) => get(`${at('configmaps')}?resourceVersionMatch=Exact`),
  'match-unknown': ({ at, get }) => get(`${at('configmaps')}?resourceVersion=1&resourceVersionMatch=Roughly`),
  'match-exact-zero': ({ at, get }) => get(`${at('configmaps')}?resourceVersion=0&resourceVersionMatch=Exact`),
  'match-exact-past': async (session) => {
    await threeMaps(session)
    const path = `${session.at('configmaps')}?labelSelector=of%3D${session.name}`
    const { body } = await session.get(path, { isQuiet: true })
    await session.delete(session.at('configmaps', `${session.name}-1`), undefined, { isQuiet: true })
    await session.get(`${path}&resourceVersion=${body.metadata.resourceVersion}&resourceVersionMatch=Exact`, {
      show: names,
    })
  },
  'match-not-older': async (session) => {
    await threeMaps(session)
    const path = `${session.at('configmaps')}?labelSelector=of%3D${session.name}`
    const { body } = await session.get(path, { isQuiet: true })
    await session.get(`${path}&resourceVersion=${body.metadata.resourceVersion}&resourceVersionMatch=NotOlderThan`, {
      show: names,
    })
  },
  'list-version-of-the-future': ({ at, get }) =>
    get(`${at('configmaps')}?resourceVersion=999999999999`, {
      show: ({ code, reason, details }) => ({ code, reason, details }),
    }),
  'initial-events-of-list': ({ at, get }) => get(`${at('configmaps')}?sendInitialEvents=true`),
  'table-of-config-maps': async (session) => {
    await threeMaps(session)
    await session.get(`${session.at('configmaps')}?labelSelector=of%3D${session.name}`, { headers: TABLE })
  },
  'table-of-pod': async ({ at, name, post, get }) => {
    await post(at('pods'), pod(name), { isQuiet: true })
    await get(at('pods', name), { headers: TABLE })
  },
  'table-with-objects': async ({ at, name, post, get }) => {
    await post(at('configmaps'), configMap(name), { isQuiet: true })
    await get(`${at('configmaps', name)}?includeObject=Object`, { headers: TABLE })
  },
  'table-without-objects': async ({ at, name, post, get }) => {
    await post(at('configmaps'), configMap(name), { isQuiet: true })
    await get(`${at('configmaps', name)}?includeObject=None`, { headers: TABLE })
  },
  'table-of-node': async ({ name, post, get }) => {
    await post('/api/v1/nodes', node(name), { isQuiet: true })
    await get(`/api/v1/nodes/${name}`, {
      headers: TABLE,
      show: ({ kind, columnDefinitions, rows }) => ({ kind, columnDefinitions, name: rows[0].cells[0] }),
    })
  },
  ...Object.fromEntries(
    [
      'apps/v1/deployments',
      'apps/v1/replicasets',
      'apps/v1/daemonsets',
      'apps/v1/statefulsets',
      'batch/v1/jobs',
      'batch/v1/cronjobs',
      'services',
      'secrets',
      'events',
      'coordination.k8s.io/v1/leases',
      'policy/v1/poddisruptionbudgets',
      'resourcequotas',
    ].map((plural) => [
      `table-columns-of-${plural.split('/').at(-1)}`,
      async ({ at, get }: CaseSession) => {
        await get(`${at(plural)}?labelSelector=nothing`, { headers: TABLE })
      },
    ]),
  ),
  metadata: async ({ at, name, post, get }) => {
    await post(at('pods'), pod(name), { isQuiet: true })
    await get(at('pods', name), { headers: METADATA })
  },
  'metadata-list': async (session) => {
    await threeMaps(session)
    await session.get(`${session.at('configmaps')}?labelSelector=of%3D${session.name}`, { headers: METADATA_LIST })
  },
  'not-acceptable': ({ at, get }) => get(at('configmaps'), { headers: { accept: 'image/png' } }),
  'anything-acceptable': ({ at, get }) => get(at('apps/v1/replicasets'), { headers: { accept: '*/*' } }),
})
