import { caseGroup, type CaseGroup, type Json, type CaseSession } from '../runner/conformance-case.ts'
import { definition, createDefinition, gadget, GADGET_SCHEMA } from '../manifests/definitions.ts'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const by = (path: string, manager: string, more = ''): string => `${path}?fieldManager=${manager}${more}`

/** Returns a schema with one property of the spec. */
const withProperty = (property: object): object => ({
  type: 'object',
  properties: { spec: { type: 'object', properties: { a: property } } },
})

/** Posts a definition with one version `v1`, which `version` and `spec` change. Does not wait for it. */
async function postDefinition(session: CaseSession, version: object, spec: object = {}): Promise<void> {
  await session.post(DEFINITIONS, definition(session, [{ name: 'v1', served: true, storage: true, ...version }], spec))
}

const schemaIs = (openAPIV3Schema: object): object => ({ schema: { openAPIV3Schema } })
const discovered = ({ resources, groupVersion }: Json): unknown => ({
  groupVersion,
  resources: resources.map((resource: Json) => ({ ...resource, storageVersionHash: '' })),
})

/** CustomResourceDefinitions: validation, served resources, errors. */
export const defining: CaseGroup = caseGroup('define', {
  created: (session) => session.post(DEFINITIONS, definition(session)),
  established: async (session) => {
    await createDefinition(session)
    await session.get(`${DEFINITIONS}/gadgets.${session.name}.example.com`)
  },
  'in-discovery': async (session) => {
    const { version } = await createDefinition(session)
    await session.get(version, { show: discovered })
    await session.get(version.slice(0, -'/v1'.length))
  },
  'several-versions-in-discovery': async (session) => {
    const schema = { openAPIV3Schema: GADGET_SCHEMA }
    const names = ['v1alpha1', 'v2beta1', 'v1', 'v10', 'v2']
    const versions = names.map((name) => ({ name, served: name !== 'v10', storage: name === 'v1', schema }))
    const { version } = await createDefinition(session, versions)
    await session.get(version.slice(0, -'/v1'.length))
    await session.get(`${version.slice(0, -'/v1'.length)}/v10`)
  },
  'cluster-scope': async (session) => {
    const { version } = await createDefinition(session, undefined, { scope: 'Cluster' })
    await session.post(`${version}/gadgets`, gadget(session))
    await session.get(`${version}/namespaces/${session.namespace}/gadgets`)
  },
  'names-taken': async (session) => {
    await createDefinition(session)
    const names = { plural: 'others', kind: 'Other', shortNames: ['gd'] }
    await session.post(DEFINITIONS, definition(session, undefined, { names }, 'others'))
    const path = `${DEFINITIONS}/others.${session.name}.example.com`
    await session.until(path, ({ body }) => body.status?.conditions?.length === 2, { show: ({ status }) => status })
    await session.get(`/apis/${session.name}.example.com/v1/namespaces/${session.namespace}/others`)
  },
  'no-name-of-plural-and-group': (session) =>
    session.post(DEFINITIONS, {
      ...(definition(session) as Json),
      metadata: { name: `wrong.${session.name}.example.com` },
    }),
  'no-versions': (session) => session.post(DEFINITIONS, definition(session, [])),
  'no-schema': (session) => postDefinition(session, {}),
  'no-storage-version': (session) => postDefinition(session, { ...schemaIs(GADGET_SCHEMA), storage: false }),
  'wrong-scope': (session) => postDefinition(session, schemaIs(GADGET_SCHEMA), { scope: 'Everywhere' }),
  'group-without-dot': async (session) => {
    const spec = { ...(definition(session) as Json).spec, group: 'gadgets' }
    await session.post(DEFINITIONS, { ...(definition(session) as Json), metadata: { name: 'gadgets.gadgets' }, spec })
  },
  'wrong-kind-name': (session) =>
    postDefinition(session, schemaIs(GADGET_SCHEMA), { names: { plural: 'gadgets', kind: 'Ga dget' } }),
  'root-without-type': (session) => postDefinition(session, schemaIs({ properties: {} })),
  'root-is-no-object': (session) => postDefinition(session, schemaIs({ type: 'string' })),
  'property-without-type': (session) => postDefinition(session, schemaIs(withProperty({ description: 'free' }))),
  'list-without-items': (session) => postDefinition(session, schemaIs(withProperty({ type: 'array' }))),
  'unique-items': (session) =>
    postDefinition(session, schemaIs(withProperty({ type: 'array', items: { type: 'string' }, uniqueItems: true }))),
  'wrong-pattern': (session) => postDefinition(session, schemaIs(withProperty({ type: 'string', pattern: '^[a' }))),
  'wrong-default': (session) => postDefinition(session, schemaIs(withProperty({ type: 'string', default: 5 }))),
  'default-that-would-be-pruned': (session) =>
    postDefinition(session, schemaIs(withProperty({ type: 'object', properties: {}, default: { b: 1 } }))),
  'map-list-without-keys': async (session) => {
    const list = { type: 'array', 'x-kubernetes-list-type': 'map', items: { type: 'object', properties: {} } }
    await postDefinition(session, schemaIs(withProperty(list)))
  },
  'map-list-with-optional-key': async (session) => {
    const items = { type: 'object', properties: { k: { type: 'string' } } }
    const list = { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'], items }
    await postDefinition(session, schemaIs(withProperty(list)))
  },
  'wrong-list-type': async (session) => {
    const list = { type: 'array', 'x-kubernetes-list-type': 'bag', items: { type: 'string' } }
    await postDefinition(session, schemaIs(withProperty(list)))
  },
  'additional-and-other-properties': async (session) => {
    const properties = { b: { type: 'string' } }
    const map = { type: 'object', properties, additionalProperties: { type: 'string' } }
    await postDefinition(session, schemaIs(withProperty(map)))
  },
  'int-or-string-with-unknown-fields': async (session) => {
    const both = { 'x-kubernetes-int-or-string': true, 'x-kubernetes-preserve-unknown-fields': true }
    await postDefinition(session, schemaIs(withProperty(both)))
  },
  'metadata-in-schema': async (session) => {
    const metadata = { type: 'object', properties: { labels: { type: 'object' } } }
    await postDefinition(session, schemaIs({ type: 'object', properties: { metadata } }))
  },
  'nullable-root': (session) => postDefinition(session, schemaIs({ type: 'object', nullable: true })),
  'column-of-wrong-type': async (session) => {
    const additionalPrinterColumns = [{ name: 'A', type: 'text', jsonPath: '.spec.a' }]
    await postDefinition(session, { ...schemaIs(GADGET_SCHEMA), additionalPrinterColumns })
  },
  'scale-outside-of-spec': async (session) => {
    const scale = { specReplicasPath: '.replicas', statusReplicasPath: '.status.replicas' }
    await postDefinition(session, { ...schemaIs(GADGET_SCHEMA), subresources: { scale } })
  },
  'warning-without-deprecation': (session) =>
    postDefinition(session, { ...schemaIs(GADGET_SCHEMA), deprecationWarning: 'old' }),
  'kind-cannot-change': async (session) => {
    const { path } = await createDefinition(session)
    await session.patch('merge', path, { spec: { names: { kind: 'Other' } } })
  },
  'scope-cannot-change': async (session) => {
    const { path } = await createDefinition(session)
    await session.patch('merge', path, { spec: { scope: 'Cluster' } })
  },
  'new-storage-version': async (session) => {
    const { path } = await createDefinition(session)
    const schema = { openAPIV3Schema: GADGET_SCHEMA }
    const versions = [
      { name: 'v1', served: true, storage: false, schema },
      { name: 'v2', served: true, storage: true, schema },
    ]
    await session.patch(
      'merge',
      path,
      { spec: { versions } },
      { show: ({ metadata, status }) => [metadata.generation, status.storedVersions] },
    )
  },
  applied: async (session) => {
    const path = `${DEFINITIONS}/gadgets.${session.name}.example.com`
    await session.patch('apply', by(path, 'one'), definition(session), {
      show: ({ metadata, status }) => [metadata.managedFields, status],
    })
  },
  'deleted-with-objects': async (session) => {
    const { path, gadgets } = await createDefinition(session)
    await session.post(gadgets, gadget(session), { isQuiet: true })
    await session.delete(path, undefined, {
      show: ({ metadata, status }) => [metadata.finalizers, status?.conditions?.length > 1],
    })
    await session.until(path, ({ status }) => status === 404)
    await session.until(gadgets, ({ status }) => status === 404)
  },
  'waits-for-finalizers-of-objects': async (session) => {
    const { path, gadgets } = await createDefinition(session)
    const object = { ...gadget(session), metadata: { name: session.name, finalizers: ['example.com/held'] } }
    await session.post(gadgets, object, { isQuiet: true })
    await session.delete(path, undefined, { isQuiet: true })
    await session.until(path, ({ body }) => body.status?.conditions?.[2]?.reason === 'InstanceDeletionInProgress', {
      show: ({ metadata, status }) => [metadata.finalizers, status.conditions],
    })
    await session.post(gadgets, { ...gadget(session), metadata: { name: 'late' } })
    await session.patch('merge', `${gadgets}/${session.name}`, { metadata: { finalizers: null } }, { isQuiet: true })
    await session.until(path, ({ status }) => status === 404)
  },
  'table-of-definitions': async (session) => {
    const { path } = await createDefinition(session)
    await session.get(path, {
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
      show: ({ columnDefinitions }) => columnDefinitions.map(({ name, type, format }: Json) => [name, type, format]),
    })
  },
})
