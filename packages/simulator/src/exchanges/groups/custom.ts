import { apartGroup, type ExchangeGroup, type Json, type Talk } from '../exchange.ts'
import { define, gadget, GADGET_SCHEMA } from '../definitions.ts'

const by = (path: string, manager: string, more = ''): string => `${path}?fieldManager=${manager}${more}`
const TABLE = { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } }

/** Sends a gadget with this spec; the answer is noted. */
const sent =
  (spec: object, query = '') =>
  async (talk: Talk): Promise<void> => {
    const { gadgets } = await define(talk)
    await talk.post(`${gadgets}${query}`, gadget(talk, spec), { show: shownSpec })
  }

const shownSpec = ({ spec }: Json): unknown => spec
const shownTable = ({ columnDefinitions, rows }: Json): Json => ({
  columnDefinitions,
  rows: rows.map(({ cells }: Json) => ({ cells })),
})
const fields = ({ metadata, spec }: Json): unknown => [metadata.managedFields, spec]

const TWO_VERSIONS = [
  { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: GADGET_SCHEMA } },
  {
    name: 'v2',
    served: true,
    storage: false,
    deprecated: true,
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: {
          spec: { type: 'object', properties: { size: { type: 'integer' }, v2: { type: 'string', default: 'two' } } },
        },
      },
    },
  },
]

/** Custom resources: schema, defaults, pruning, subresources, versions, server-side apply, rules. */
export const custom: ExchangeGroup = apartGroup('custom', {
  created: async (talk) => {
    const { gadgets } = await define(talk)
    await talk.post(gadgets, gadget(talk, { size: 3, parts: [{ name: 'x' }] }))
    await talk.get(`${gadgets}/${talk.name}`)
    await talk.get(gadgets)
  },
  'status-is-not-created': async (talk) => {
    const { gadgets } = await define(talk)
    await talk.post(gadgets, { ...gadget(talk), status: { phase: 'Ready' } })
  },
  'unknown-fields-are-pruned': sent({ size: 3, other: 1, owner: { name: 'a', more: true } }),
  'unknown-fields-are-refused': sent(
    { size: 3, other: 1, owner: { name: 'a', more: true } },
    '?fieldValidation=Strict',
  ),
  'unknown-fields-are-kept': sent({
    free: { a: { b: [1] } },
    template: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, x: 1 },
  }),
  'defaults-in-lists': sent({ parts: [{ name: 'a' }, { name: 'b', count: 2 }] }),
  'nulls-are-dropped': sent({ color: null, size: null, note: null }),
  'text-for-a-number': sent({ size: 'big' }),
  'fraction-for-an-integer': sent({ size: 1.5 }),
  'integer-for-a-number': sent({ ratio: 1 }),
  'too-small': sent({ size: 0 }),
  'too-large': sent({ size: 11 }),
  'not-above': sent({ ratio: 0 }),
  'no-multiple': sent({ pairs: 3 }),
  'not-in-enum': sent({ color: 'green' }),
  'no-match': sent({ code: 'AB' }),
  'text-too-short': sent({ code: 'a' }),
  'text-too-long': sent({ code: 'abcde' }),
  'no-address': sent({ address: '1.2.3' }),
  'no-time': sent({ when: 'yesterday' }),
  'number-for-int-or-string': sent({ port: 80 }),
  'text-for-int-or-string': sent({ port: 'http' }),
  'list-for-int-or-string': sent({ port: [] }),
  'text-for-a-boolean': sent({ isOn: 'true' }),
  'object-for-a-list': sent({ tags: {} }),
  'list-for-an-object': sent({ owner: [] }),
  'repeated-in-a-set': sent({ tags: ['a', 'b', 'a'] }),
  'repeated-key': sent({ parts: [{ name: 'a' }, { name: 'a' }] }),
  'item-without-key': sent({ parts: [{ count: 2 }] }),
  'too-many-items': sent({ tags: ['a', 'b', 'c', 'd'] }),
  'too-few-items': sent({ steps: [] }),
  'too-many-properties': sent({ labels: { a: '1', b: '2', c: '3' } }),
  'wrong-value-in-a-map': sent({ labels: { a: 1 } }),
  'required-is-missing': sent({ owner: {} }),
  'one-of-none': sent({ either: {} }),
  'one-of-both': sent({ either: { a: '1', b: '2' } }),
  'embedded-without-kind': sent({ template: { spec: {} } }),
  'without-kind': async (talk) => {
    const { gadgets } = await define(talk)
    const { kind: _, ...rest } = gadget(talk)
    await talk.post(gadgets, rest)
  },
  'other-kind': async (talk) => {
    const { gadgets } = await define(talk)
    await talk.post(gadgets, { ...gadget(talk), kind: 'Widget' })
  },
  'other-version': async (talk) => {
    const { gadgets } = await define(talk)
    await talk.post(gadgets, { ...gadget(talk), apiVersion: `${talk.name}.example.com/v9` })
  },
  'wrong-name': async (talk) => {
    const { gadgets } = await define(talk)
    await talk.post(gadgets, { ...gadget(talk), metadata: { name: 'Not_A_Name' } })
  },
  'not-there': async (talk) => {
    const { gadgets } = await define(talk)
    await talk.get(`${gadgets}/${talk.name}`)
    await talk.delete(`${gadgets}/${talk.name}`)
  },
  'generation-counts-the-spec': async (talk) => {
    const { gadgets } = await define(talk)
    const path = `${gadgets}/${talk.name}`
    const show = ({ metadata }: Json): unknown => metadata.generation
    await talk.post(gadgets, gadget(talk), { show })
    await talk.patch('merge', path, { metadata: { labels: { a: 'b' } } }, { show })
    await talk.patch('merge', `${path}/status`, { status: { phase: 'Ready' } }, { show })
    await talk.patch('merge', path, { spec: { size: 4 } }, { show })
  },
  'status-alone': async (talk) => {
    const { gadgets } = await define(talk)
    const path = `${gadgets}/${talk.name}`
    await talk.post(gadgets, gadget(talk), { isQuiet: true })
    await talk.patch('merge', `${path}/status`, { spec: { size: 5 }, status: { phase: 'Ready' } })
    await talk.patch('merge', path, { status: { phase: 'Lost' } }, { show: ({ status }) => status })
    await talk.patch('merge', `${path}/status`, { status: { phase: 5 } })
  },
  'no-status-subresource': async (talk) => {
    const schema = { openAPIV3Schema: GADGET_SCHEMA }
    const { gadgets } = await define(talk, [{ name: 'v1', served: true, storage: true, schema }])
    await talk.post(gadgets, { ...gadget(talk), status: { phase: 'Ready' } }, { show: ({ status }) => status })
    await talk.get(`${gadgets}/${talk.name}/status`)
    const show = ({ metadata }: Json): unknown => metadata.generation
    await talk.patch('merge', `${gadgets}/${talk.name}`, { status: { phase: 'Lost' } }, { show })
  },
  scale: async (talk) => {
    const { gadgets } = await define(talk)
    const path = `${gadgets}/${talk.name}`
    await talk.post(gadgets, gadget(talk, { replicas: 2 }), { isQuiet: true })
    await talk.patch('merge', `${path}/status`, { status: { replicas: 1, selector: 'a=b' } }, { isQuiet: true })
    await talk.get(`${path}/scale`)
    await talk.patch('merge', `${path}/scale`, { spec: { replicas: 5 } })
    await talk.get(path, { show: shownSpec })
  },
  'scale-below-zero': sent({ replicas: -1 }),
  put: async (talk) => {
    const { gadgets } = await define(talk)
    const { body } = await talk.post(gadgets, gadget(talk), { isQuiet: true })
    await talk.put(`${gadgets}/${talk.name}`, { ...body, spec: { size: 7 } })
    await talk.put(`${gadgets}/${talk.name}`, { ...body, spec: { size: 8 } })
  },
  'put-without-version': async (talk) => {
    const { gadgets } = await define(talk)
    await talk.post(gadgets, gadget(talk), { isQuiet: true })
    await talk.put(`${gadgets}/${talk.name}`, gadget(talk, { size: 7 }))
  },
  'json-patch': async (talk) => {
    const { gadgets } = await define(talk)
    await talk.post(gadgets, gadget(talk), { isQuiet: true })
    await talk.patch('json', `${gadgets}/${talk.name}`, [{ op: 'replace', path: '/spec/size', value: 4 }])
  },
  'merge-patch-is-validated': async (talk) => {
    const { gadgets } = await define(talk)
    await talk.post(gadgets, gadget(talk), { isQuiet: true })
    await talk.patch('merge', `${gadgets}/${talk.name}`, { spec: { size: 40 } })
  },
  'no-strategic-patch': async (talk) => {
    const { gadgets } = await define(talk)
    await talk.post(gadgets, gadget(talk), { isQuiet: true })
    await talk.patch('strategic', `${gadgets}/${talk.name}`, { spec: { size: 4 } })
  },
  'old-mistakes-stay': async (talk) => {
    const wide = {
      type: 'object',
      properties: { spec: { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'integer' } } } },
    }
    const { gadgets, path } = await define(talk, [
      { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: wide } },
    ])
    await talk.post(gadgets, gadget(talk, { a: 9, b: 1 }), { isQuiet: true })
    const narrow = {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: { a: { type: 'integer', maximum: 5 }, b: { type: 'integer' } } },
      },
    }
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: narrow } }]
    await talk.patch('merge', path, { spec: { versions } }, { isQuiet: true })
    const late = { ...gadget(talk, { a: 9 }), metadata: { name: 'late' } }
    // Until the new schema counts, another object would be taken.
    let isNarrow = false
    for (let tries = 0; tries < 100 && !isNarrow; tries++) {
      const { status } = await talk.post(`${gadgets}?dryRun=All`, late, { isQuiet: true })
      isNarrow = status === 422
      let asked = 0
      if (!isNarrow) await talk.until(path, () => asked++ > 0, { isQuiet: true })
    }
    await talk.patch('merge', `${gadgets}/${talk.name}`, { spec: { b: 2 } }, { show: shownSpec })
    await talk.patch('merge', `${gadgets}/${talk.name}`, { spec: { a: 8 } }, { show: shownSpec })
  },
  'applied-and-owned': async (talk) => {
    const { gadgets } = await define(talk)
    const path = `${gadgets}/${talk.name}`
    await talk.patch(
      'apply',
      by(path, 'one'),
      gadget(talk, { size: 3, parts: [{ name: 'a' }], tags: ['x'], whole: { a: '1' } }),
      { show: fields },
    )
    await talk.patch('apply', by(path, 'two'), gadget(talk, { parts: [{ name: 'b' }], tags: ['y'] }), { show: fields })
    await talk.patch('apply', by(path, 'one'), gadget(talk, { size: 3, tags: ['x'] }), { show: fields })
  },
  'apply-conflict': async (talk) => {
    const { gadgets } = await define(talk)
    const path = `${gadgets}/${talk.name}`
    await talk.patch('apply', by(path, 'one'), gadget(talk, { size: 3, parts: [{ name: 'a', count: 2 }] }), {
      isQuiet: true,
    })
    await talk.patch('apply', by(path, 'two'), gadget(talk, { size: 4, parts: [{ name: 'a', count: 3 }] }))
    await talk.patch('apply', by(path, 'two', '&force=true'), gadget(talk, { size: 4 }), { show: fields })
  },
  'apply-of-unknown-field': async (talk) => {
    const { gadgets } = await define(talk)
    await talk.patch('apply', by(`${gadgets}/${talk.name}`, 'one'), gadget(talk, { other: 1 }))
  },
  'apply-to-status': async (talk) => {
    const { gadgets } = await define(talk)
    const path = `${gadgets}/${talk.name}`
    await talk.post(gadgets, gadget(talk), { isQuiet: true })
    const { spec: _, ...status } = { ...gadget(talk), status: { phase: 'Ready' } }
    await talk.patch('apply', by(`${path}/status`, 'one'), status, {
      show: ({ metadata, status }) => [metadata.managedFields, status],
    })
  },
  'update-owns': async (talk) => {
    const { gadgets } = await define(talk)
    await talk.post(gadgets, gadget(talk, { size: 3, parts: [{ name: 'a' }], free: { a: { b: 1 }, list: [1] } }), {
      show: fields,
    })
  },
  table: async (talk) => {
    const { gadgets } = await define(talk)
    await talk.post(
      gadgets,
      gadget(talk, { size: 3, tags: ['a', 'b'], parts: [{ name: 'x', count: 4 }], isOn: true, ratio: 1.5 }),
      { isQuiet: true },
    )
    await talk.get(gadgets, {
      ...TABLE,
      show: shownTable,
    })
  },
  'table-without-columns': async (talk) => {
    const schema = { openAPIV3Schema: GADGET_SCHEMA }
    const { gadgets } = await define(talk, [{ name: 'v1', served: true, storage: true, schema }])
    await talk.post(gadgets, gadget(talk), { isQuiet: true })
    await talk.get(gadgets, {
      ...TABLE,
      show: shownTable,
    })
  },
  'two-versions': async (talk) => {
    const { gadgets, version } = await define(talk, TWO_VERSIONS)
    const second = `${version.slice(0, -2)}v2/namespaces/${talk.namespace}/gadgets`
    await talk.post(gadgets, gadget(talk), { isQuiet: true })
    await talk.get(`${second}/${talk.name}`, { show: ({ apiVersion, spec }) => [apiVersion, spec] })
    await talk.patch(
      'merge',
      `${second}/${talk.name}`,
      { spec: { size: 6 } },
      { show: ({ apiVersion, spec }) => [apiVersion, spec] },
    )
    await talk.get(`${gadgets}/${talk.name}`, { show: ({ apiVersion, spec }) => [apiVersion, spec] })
  },
  watched: async (talk) => {
    const { gadgets } = await define(talk)
    await talk.watch(`${gadgets}?watch=true`, {
      frames: 2,
      showObject: ({ kind, metadata, spec }) => [kind, metadata.name, spec],
      act: async () => {
        await talk.post(gadgets, gadget(talk), { isQuiet: true })
        await talk.delete(`${gadgets}/${talk.name}`, undefined, { isQuiet: true })
      },
    })
  },
  'selected-by-field': async (talk) => {
    const schema = { openAPIV3Schema: GADGET_SCHEMA }
    const selectableFields = [{ jsonPath: '.spec.color' }]
    const { gadgets } = await define(talk, [{ name: 'v1', served: true, storage: true, schema, selectableFields }])
    await talk.post(gadgets, gadget(talk), { isQuiet: true })
    const show = ({ items }: Json): unknown => items.map(({ metadata }: Json) => metadata.name)
    await talk.get(`${gadgets}?fieldSelector=spec.color%3Dred`, { show })
    await talk.get(`${gadgets}?fieldSelector=spec.color%3Dblue`, { show })
    await talk.get(`${gadgets}?fieldSelector=spec.size%3D3`, { show })
  },
  deleted: async (talk) => {
    const { gadgets } = await define(talk)
    await talk.post(gadgets, gadget(talk), { isQuiet: true })
    await talk.delete(`${gadgets}/${talk.name}`)
  },
})
