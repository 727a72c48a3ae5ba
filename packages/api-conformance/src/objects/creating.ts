import { caseGroup, type CaseGroup } from '../runner/conformance-case.ts'
import { configMap, deployment, lease, pod } from '../manifests/manifests.ts'

/** POST: the created objects, and errors. */
export const creating: CaseGroup = caseGroup('create', {
  'config-map': async ({ at, name, post, get }) => {
    await post(at('configmaps'), configMap(name))
    await get(at('configmaps', name))
  },
  'same-name-twice': async ({ at, name, post }) => {
    await post(at('configmaps'), configMap(name), { isQuiet: true })
    await post(at('configmaps'), configMap(name))
  },
  'same-name-in-group': async ({ at, name, post }) => {
    await post(at('coordination.k8s.io/v1/leases'), lease(name), { isQuiet: true })
    await post(at('coordination.k8s.io/v1/leases'), lease(name))
  },
  'generate-name': ({ at, name, post }) => post(at('configmaps'), { metadata: { generateName: `${name}-` } }),
  'name-wins-over-generate-name': ({ at, name, post }) =>
    post(at('configmaps'), { metadata: { name, generateName: 'other-' } }),
  'without-name': ({ at, post }) => post(at('configmaps'), { apiVersion: 'v1', kind: 'ConfigMap', data: {} }),
  'upper-case-name': ({ at, post }) => post(at('configmaps'), configMap('Wrong_Name')),
  'long-name': ({ at, post }) => post(at('configmaps'), configMap('a'.repeat(254))),
  'bad-label': async ({ at, name, post }) => {
    // One at a time, because upstream lists several in the random order of a Go map.
    await post(at('configmaps'), configMap(name, {}, { labels: { '-bad': 'ok' } }))
    await post(at('configmaps'), configMap(name, {}, { labels: { good: 'not good' } }))
  },
  'bad-annotation-and-finalizer': ({ at, name, post }) =>
    post(at('configmaps'), configMap(name, {}, { annotations: { 'a/b/c': 'x' }, finalizers: ['bare'] })),
  'bad-owner': ({ at, name, post }) =>
    post(at('configmaps'), configMap(name, {}, { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod' }] })),
  'two-controllers': async ({ at, name, post }) => {
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'a', controller: true }
    const ownerReferences = [
      { ...owner, uid: '00000000-0000-0000-0000-000000000001' },
      { ...owner, name: 'b', uid: '00000000-0000-0000-0000-000000000002' },
    ]
    await post(at('configmaps'), configMap(name, {}, { ownerReferences }))
  },
  'bad-data-key': ({ at, name, post }) => post(at('configmaps'), configMap(name, { 'a/b': 'x' })),
  'key-in-data-and-binary-data': ({ at, name, post }) =>
    post(at('configmaps'), { ...configMap(name, { a: 'x' }), binaryData: { a: 'eA==' } }),
  'other-namespace': ({ at, name, post }) => post(at('configmaps'), configMap(name, {}, { namespace: 'elsewhere' })),
  'missing-namespace': ({ name, post }) =>
    post('/api/v1/namespaces/exchanges-no-such-namespace/configmaps', configMap(name)),
  'all-namespaces': ({ name, post }) => post('/api/v1/configmaps', configMap(name)),
  'wrong-kind': ({ at, name, post }) =>
    post(at('configmaps'), { apiVersion: 'v1', kind: 'Secret', metadata: { name } }),
  'wrong-version': ({ at, name, post }) =>
    post(at('configmaps'), { apiVersion: 'v2', kind: 'ConfigMap', metadata: { name } }),
  'without-kind': ({ at, name, post }) => post(at('configmaps'), { metadata: { name }, data: { a: '1' } }),
  'resource-version-given': ({ at, name, post }) =>
    post(at('configmaps'), configMap(name, {}, { resourceVersion: '1' })),
  'uid-and-times-given': async ({ at, name, post }) => {
    const given = { uid: 'mine', creationTimestamp: '2020-01-01T00:00:00Z', generation: 7, selfLink: '/x' }
    await post(at('configmaps'), configMap(name, {}, given))
  },
  'unknown-field-warned': ({ at, name, post }) => post(at('configmaps'), { ...configMap(name), surprise: 1 }),
  'unknown-field-asked-to-warn': ({ at, name, post }) =>
    post(`${at('configmaps')}?fieldValidation=Warn`, { ...configMap(name), surprise: 1 }),
  'unknown-field-strict': ({ at, name, post }) =>
    post(`${at('pods')}?fieldValidation=Strict`, { ...pod(name, {}, { nodeNam: 'x' }), surprise: 1 }),
  'unknown-field-ignored': ({ at, name, post }) =>
    post(`${at('configmaps')}?fieldValidation=Ignore`, { ...configMap(name), surprise: 1 }),
  'field-validation-unknown': ({ at, name, post }) =>
    post(`${at('configmaps')}?fieldValidation=Perhaps`, configMap(name)),
  'duplicate-field-strict': async ({ at, name, post }) => {
    const body = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"},"data":{"a":"1"},"data":{"b":"2"}}`
    await post(`${at('configmaps')}?fieldValidation=Strict`, body)
  },
  'wrong-type-of-field': ({ at, name, post }) => post(at('configmaps'), { ...configMap(name), data: { a: 1 } }),
  'no-json': ({ at, post }) => post(at('configmaps'), '{"apiVersion":'),
  'empty-body': ({ at, post }) => post(at('configmaps'), ''),
  'media-type-unknown': ({ at, name, post }) =>
    post(at('configmaps'), configMap(name), { headers: { 'content-type': 'text/plain' } }),
  'yaml-body': async ({ at, name, post }) => {
    const body = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata: {a: "1"}\n`
    await post(at('configmaps'), body, { headers: { 'content-type': 'application/yaml' } })
  },
  'dry-run': async ({ at, name, post, get }) => {
    await post(`${at('configmaps')}?dryRun=All`, configMap(name), {
      show: ({ metadata, data }) => ({ name: metadata.name, hasUid: metadata.uid !== undefined, data }),
    })
    await get(at('configmaps', name))
  },
  'dry-run-unknown': ({ at, name, post }) => post(`${at('configmaps')}?dryRun=Some`, configMap(name)),
  'field-manager': ({ at, name, post }) => post(`${at('configmaps')}?fieldManager=somebody`, configMap(name)),
  'field-manager-too-long': ({ at, name, post }) =>
    post(`${at('configmaps')}?fieldManager=${'m'.repeat(129)}`, configMap(name)),
  secret: ({ at, name, post }) =>
    post(at('secrets'), {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name },
      stringData: { a: 'x' },
      data: { b: 'eA==' },
    }),
  service: ({ at, name, post }) =>
    post(at('services'), {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name },
      spec: { selector: { app: 'x' }, ports: [{ port: 80, targetPort: 'web' }] },
    }),
  'service-name-starts-with-digit': ({ at, post }) =>
    post(at('services'), {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: '1-a' },
      spec: { ports: [{ port: 80 }] },
    }),
  'service-without-ports': ({ at, name, post }) =>
    post(at('services'), {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name },
      spec: { selector: { a: 'b' } },
    }),
  namespace: async ({ name, namespace, post }) => {
    const made = `${namespace}-${name}`.slice(0, 63)
    await post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: made } })
  },
  'namespace-name-with-dots': ({ post }) =>
    post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a.b' } }),
  deployment: ({ at, name, post }) => post(at('apps/v1/deployments'), deployment(name)),
  'deployment-selector-misses': ({ at, name, post }) =>
    post(at('apps/v1/deployments'), deployment(name, { selector: { matchLabels: { app: 'other' } } })),
  'deployment-without-selector': ({ at, name, post }) =>
    post(at('apps/v1/deployments'), deployment(name, { selector: undefined })),
  'deployment-negative-replicas': ({ at, name, post }) =>
    post(at('apps/v1/deployments'), deployment(name, { replicas: -1 })),
  'lease-negative': ({ at, name, post }) =>
    post(at('coordination.k8s.io/v1/leases'), lease(name, { leaseDurationSeconds: 0, leaseTransitions: -1 })),
  lease: async ({ at, name, post }) => {
    const spec = { holderIdentity: 'me', leaseDurationSeconds: 15, renewTime: '2020-01-01T00:00:00.000000Z' }
    await post(at('coordination.k8s.io/v1/leases'), lease(name, spec))
  },
  'priority-class': ({ name, post }) =>
    post('/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name }, value: 10 }),
  'priority-class-too-high': ({ name, post }) =>
    post('/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name }, value: 2_000_000_000 }),
  'unknown-resource': ({ at, post }) => post(at('dongles'), {}),
  'unknown-group': ({ at, post }) => post(at('none.example.com/v1/dongles'), {}),
  'on-a-name': ({ at, name, post }) => post(at('configmaps', name), configMap(name)),
  'duplicate-field-is-warned-about': async ({ at, name, post }) => {
    const text = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}","name":"${name}"},"data":{"a":"1","b":"2","a":"3"}}`
    await post(at('configmaps'), text)
  },
  'duplicate-field-in-a-list': async ({ at, name, post }) => {
    const container = '{"name":"main","image":"a","image":"b","other":1}'
    const text = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"${name}"},"spec":{"containers":[${container}]}}`
    await post(`${at('pods')}?fieldValidation=Strict`, text)
  },
  'duplicate-field-is-ignored': async ({ at, name, post }) => {
    const text = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"},"data":{"a":"1","a":"3"}}`
    await post(`${at('configmaps')}?fieldValidation=Ignore`, text, { show: ({ data }) => data })
  },
  'config-map-too-large': async ({ at, name, post, put }) => {
    const most = 'x'.repeat(1_048_576)
    const show = ({ metadata }: { metadata: { name: string } }): unknown => metadata.name
    await post(at('configmaps'), configMap(name, { a: most }), { show })
    await put(at('configmaps', name), configMap(name, { a: `${most}x` }))
    await post(at('configmaps'), { ...configMap(`${name}-2`, { a: most }), binaryData: { b: 'AAAA' } })
    await post(at('configmaps'), configMap(`${name}-3`, { a: 'é'.repeat(524_289) }))
  },
  'secret-too-large': async ({ at, name, post }) => {
    const secret = (more: string, data: string): object => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `${name}${more}` },
      data: { a: Buffer.from(data).toString('base64') },
    })
    const most = 'x'.repeat(1_048_576)
    await post(at('secrets'), secret('', most), { show: ({ metadata }) => metadata.name })
    await post(at('secrets'), secret('-2', `${most}x`))
  },
})
