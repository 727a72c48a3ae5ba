import { exchangeGroup, type ExchangeGroup, type Json, type Talk } from '../exchange.ts'
import { definition, define, gadget, GADGET_SCHEMA } from '../definitions.ts'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const by = (path: string, manager: string, more = ''): string => `${path}?fieldManager=${manager}${more}`

/** A schema with one property of the spec. */
const withProperty = (property: object): object => ({
  type: 'object',
  properties: { spec: { type: 'object', properties: { a: property } } },
})

async function refused(talk: Talk, version: object, spec: object = {}): Promise<void> {
  await talk.post(DEFINITIONS, definition(talk, [{ name: 'v1', served: true, storage: true, ...version }], spec))
}

const schemaIs = (openAPIV3Schema: object): object => ({ schema: { openAPIV3Schema } })
const discovered = ({ resources, groupVersion }: Json): unknown => ({
  groupVersion,
  resources: resources.map((resource: Json) => ({ ...resource, storageVersionHash: '' })),
})

/** CustomResourceDefinitions: what is accepted, what is served, what is refused. */
export const defining: ExchangeGroup = exchangeGroup('define', {
  created: async (talk) => {
    await talk.post(DEFINITIONS, definition(talk))
  },
  established: async (talk) => {
    await define(talk)
    await talk.get(`${DEFINITIONS}/gadgets.${talk.name}.example.com`)
  },
  'in-discovery': async (talk) => {
    const { version } = await define(talk)
    await talk.get(version, { show: discovered })
    await talk.get(version.slice(0, -'/v1'.length))
  },
  'several-versions-in-discovery': async (talk) => {
    const schema = { openAPIV3Schema: GADGET_SCHEMA }
    const names = ['v1alpha1', 'v2beta1', 'v1', 'v10', 'v2']
    const versions = names.map((name) => ({ name, served: name !== 'v10', storage: name === 'v1', schema }))
    const { version } = await define(talk, versions)
    await talk.get(version.slice(0, -'/v1'.length))
    await talk.get(`${version.slice(0, -'/v1'.length)}/v10`)
  },
  'cluster-scope': async (talk) => {
    const { version } = await define(talk, undefined, { scope: 'Cluster' })
    await talk.post(`${version}/gadgets`, gadget(talk))
    await talk.get(`${version}/namespaces/${talk.namespace}/gadgets`)
  },
  'names-taken': async (talk) => {
    await define(talk)
    const names = { plural: 'others', kind: 'Other', shortNames: ['gd'] }
    await talk.post(DEFINITIONS, definition(talk, undefined, { names }, 'others'))
    const path = `${DEFINITIONS}/others.${talk.name}.example.com`
    await talk.until(path, ({ body }) => body.status?.conditions?.length === 2, { show: ({ status }) => status })
    await talk.get(`/apis/${talk.name}.example.com/v1/namespaces/${talk.namespace}/others`)
  },
  'no-name-of-plural-and-group': async (talk) => {
    await talk.post(DEFINITIONS, {
      ...(definition(talk) as Json),
      metadata: { name: `wrong.${talk.name}.example.com` },
    })
  },
  'no-versions': async (talk) => {
    await talk.post(DEFINITIONS, definition(talk, []))
  },
  'no-schema': async (talk) => {
    await refused(talk, {})
  },
  'no-storage-version': async (talk) => {
    await refused(talk, { ...schemaIs(GADGET_SCHEMA), storage: false })
  },
  'wrong-scope': async (talk) => {
    await refused(talk, schemaIs(GADGET_SCHEMA), { scope: 'Everywhere' })
  },
  'group-without-dot': async (talk) => {
    const spec = { ...(definition(talk) as Json).spec, group: 'gadgets' }
    await talk.post(DEFINITIONS, { ...(definition(talk) as Json), metadata: { name: 'gadgets.gadgets' }, spec })
  },
  'wrong-kind-name': async (talk) => {
    await refused(talk, schemaIs(GADGET_SCHEMA), { names: { plural: 'gadgets', kind: 'Ga dget' } })
  },
  'root-without-type': async (talk) => {
    await refused(talk, schemaIs({ properties: {} }))
  },
  'root-is-no-object': async (talk) => {
    await refused(talk, schemaIs({ type: 'string' }))
  },
  'property-without-type': async (talk) => {
    await refused(talk, schemaIs(withProperty({ description: 'free' })))
  },
  'list-without-items': async (talk) => {
    await refused(talk, schemaIs(withProperty({ type: 'array' })))
  },
  'unique-items': async (talk) => {
    await refused(talk, schemaIs(withProperty({ type: 'array', items: { type: 'string' }, uniqueItems: true })))
  },
  'wrong-pattern': async (talk) => {
    await refused(talk, schemaIs(withProperty({ type: 'string', pattern: '^[a' })))
  },
  'wrong-default': async (talk) => {
    await refused(talk, schemaIs(withProperty({ type: 'string', default: 5 })))
  },
  'default-that-would-be-pruned': async (talk) => {
    await refused(talk, schemaIs(withProperty({ type: 'object', properties: {}, default: { b: 1 } })))
  },
  'map-list-without-keys': async (talk) => {
    const list = { type: 'array', 'x-kubernetes-list-type': 'map', items: { type: 'object', properties: {} } }
    await refused(talk, schemaIs(withProperty(list)))
  },
  'map-list-with-optional-key': async (talk) => {
    const items = { type: 'object', properties: { k: { type: 'string' } } }
    const list = { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'], items }
    await refused(talk, schemaIs(withProperty(list)))
  },
  'wrong-list-type': async (talk) => {
    const list = { type: 'array', 'x-kubernetes-list-type': 'bag', items: { type: 'string' } }
    await refused(talk, schemaIs(withProperty(list)))
  },
  'additional-and-other-properties': async (talk) => {
    const properties = { b: { type: 'string' } }
    const map = { type: 'object', properties, additionalProperties: { type: 'string' } }
    await refused(talk, schemaIs(withProperty(map)))
  },
  'int-or-string-with-unknown-fields': async (talk) => {
    const both = { 'x-kubernetes-int-or-string': true, 'x-kubernetes-preserve-unknown-fields': true }
    await refused(talk, schemaIs(withProperty(both)))
  },
  'metadata-in-schema': async (talk) => {
    const metadata = { type: 'object', properties: { labels: { type: 'object' } } }
    await refused(talk, schemaIs({ type: 'object', properties: { metadata } }))
  },
  'nullable-root': async (talk) => {
    await refused(talk, schemaIs({ type: 'object', nullable: true }))
  },
  'column-of-wrong-type': async (talk) => {
    const additionalPrinterColumns = [{ name: 'A', type: 'text', jsonPath: '.spec.a' }]
    await refused(talk, { ...schemaIs(GADGET_SCHEMA), additionalPrinterColumns })
  },
  'scale-outside-of-spec': async (talk) => {
    const scale = { specReplicasPath: '.replicas', statusReplicasPath: '.status.replicas' }
    await refused(talk, { ...schemaIs(GADGET_SCHEMA), subresources: { scale } })
  },
  'warning-without-deprecation': async (talk) => {
    await refused(talk, { ...schemaIs(GADGET_SCHEMA), deprecationWarning: 'old' })
  },
  'kind-cannot-change': async (talk) => {
    const { path } = await define(talk)
    await talk.patch('merge', path, { spec: { names: { kind: 'Other' } } })
  },
  'scope-cannot-change': async (talk) => {
    const { path } = await define(talk)
    await talk.patch('merge', path, { spec: { scope: 'Cluster' } })
  },
  'new-storage-version': async (talk) => {
    const { path } = await define(talk)
    const schema = { openAPIV3Schema: GADGET_SCHEMA }
    const versions = [
      { name: 'v1', served: true, storage: false, schema },
      { name: 'v2', served: true, storage: true, schema },
    ]
    await talk.patch(
      'merge',
      path,
      { spec: { versions } },
      { show: ({ metadata, status }) => [metadata.generation, status.storedVersions] },
    )
  },
  applied: async (talk) => {
    const path = `${DEFINITIONS}/gadgets.${talk.name}.example.com`
    await talk.patch('apply', by(path, 'one'), definition(talk), {
      show: ({ metadata, status }) => [metadata.managedFields, status],
    })
  },
  'deleted-with-objects': async (talk) => {
    const { path, gadgets } = await define(talk)
    await talk.post(gadgets, gadget(talk), { isQuiet: true })
    await talk.delete(path, undefined, {
      show: ({ metadata, status }) => [metadata.finalizers, status?.conditions?.length > 1],
    })
    await talk.until(path, ({ status }) => status === 404)
    await talk.until(gadgets, ({ status }) => status === 404)
  },
  'waits-for-finalizers-of-objects': async (talk) => {
    const { path, gadgets } = await define(talk)
    const object = { ...gadget(talk), metadata: { name: talk.name, finalizers: ['example.com/held'] } }
    await talk.post(gadgets, object, { isQuiet: true })
    await talk.delete(path, undefined, { isQuiet: true })
    await talk.until(path, ({ body }) => body.status?.conditions?.[2]?.reason === 'InstanceDeletionInProgress', {
      show: ({ metadata, status }) => [metadata.finalizers, status.conditions],
    })
    await talk.post(gadgets, { ...gadget(talk), metadata: { name: 'late' } })
    await talk.patch('merge', `${gadgets}/${talk.name}`, { metadata: { finalizers: null } }, { isQuiet: true })
    await talk.until(path, ({ status }) => status === 404)
  },
  'table-of-definitions': async (talk) => {
    const { path } = await define(talk)
    await talk.get(path, {
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
      show: ({ columnDefinitions }) => columnDefinitions.map(({ name, type, format }: Json) => [name, type, format]),
    })
  },
})
