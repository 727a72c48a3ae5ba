import { independentCaseGroup, type CaseGroup, type Json, type CaseSession } from '../runner/conformance-case.ts'
import { createDefinition, gadget, GADGET_SCHEMA, TWO_VERSIONS } from '../manifests/definitions.ts'

const by = (path: string, manager: string, more = ''): string => `${path}?fieldManager=${manager}${more}`
const TABLE = { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } }

/** Returns a case that creates a gadget with this spec. */
const createsGadget =
  (spec: object, query = '') =>
  async (session: CaseSession): Promise<void> => {
    const { gadgets } = await createDefinition(session)
    await session.post(`${gadgets}${query}`, gadget(session, spec), { show: shownSpec })
  }

const shownSpec = ({ spec }: Json): unknown => spec
const shownTable = ({ columnDefinitions, rows }: Json): Json => ({
  columnDefinitions,
  rows: rows.map(({ cells }: Json) => ({ cells })),
})
const fields = ({ metadata, spec }: Json): unknown => [metadata.managedFields, spec]

/** Custom resources: schema, defaults, pruning, subresources, versions, server-side apply, rules. */
export const custom: CaseGroup = independentCaseGroup('custom', {
  created: async (session) => {
    const { gadgets } = await createDefinition(session)
    await session.post(gadgets, gadget(session, { size: 3, parts: [{ name: 'x' }] }))
    await session.get(`${gadgets}/${session.name}`)
    await session.get(gadgets)
  },
  'status-is-not-created': async (session) => {
    const { gadgets } = await createDefinition(session)
    await session.post(gadgets, { ...gadget(session), status: { phase: 'Ready' } })
  },
  'unknown-fields-are-pruned': createsGadget({ size: 3, other: 1, owner: { name: 'a', more: true } }),
  'unknown-fields-are-refused': createsGadget(
    { size: 3, other: 1, owner: { name: 'a', more: true } },
    '?fieldValidation=Strict',
  ),
  'unknown-fields-are-kept': createsGadget({
    free: { a: { b: [1] } },
    template: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, x: 1 },
  }),
  'defaults-in-lists': createsGadget({ parts: [{ name: 'a' }, { name: 'b', count: 2 }] }),
  'nulls-are-dropped': createsGadget({ color: null, size: null, note: null }),
  'text-for-a-number': createsGadget({ size: 'big' }),
  'fraction-for-an-integer': createsGadget({ size: 1.5 }),
  'integer-for-a-number': createsGadget({ ratio: 1 }),
  'too-small': createsGadget({ size: 0 }),
  'too-large': createsGadget({ size: 11 }),
  'not-above': createsGadget({ ratio: 0 }),
  'no-multiple': createsGadget({ pairs: 3 }),
  'not-in-enum': createsGadget({ color: 'green' }),
  'no-match': createsGadget({ code: 'AB' }),
  'text-too-short': createsGadget({ code: 'a' }),
  'text-too-long': createsGadget({ code: 'abcde' }),
  'no-address': createsGadget({ address: '1.2.3' }),
  'no-time': createsGadget({ when: 'yesterday' }),
  'number-for-int-or-string': createsGadget({ port: 80 }),
  'text-for-int-or-string': createsGadget({ port: 'http' }),
  'list-for-int-or-string': createsGadget({ port: [] }),
  'text-for-a-boolean': createsGadget({ isOn: 'true' }),
  'object-for-a-list': createsGadget({ tags: {} }),
  'list-for-an-object': createsGadget({ owner: [] }),
  'repeated-in-a-set': createsGadget({ tags: ['a', 'b', 'a'] }),
  'repeated-key': createsGadget({ parts: [{ name: 'a' }, { name: 'a' }] }),
  'item-without-key': createsGadget({ parts: [{ count: 2 }] }),
  'too-many-items': createsGadget({ tags: ['a', 'b', 'c', 'd'] }),
  'too-few-items': createsGadget({ steps: [] }),
  'too-many-properties': createsGadget({ labels: { a: '1', b: '2', c: '3' } }),
  'wrong-value-in-a-map': createsGadget({ labels: { a: 1 } }),
  'required-is-missing': createsGadget({ owner: {} }),
  'one-of-none': createsGadget({ either: {} }),
  'one-of-both': createsGadget({ either: { a: '1', b: '2' } }),
  'embedded-without-kind': createsGadget({ template: { spec: {} } }),
  'without-kind': async (session) => {
    const { gadgets } = await createDefinition(session)
    const { kind: _, ...rest } = gadget(session)
    await session.post(gadgets, rest)
  },
  'other-kind': async (session) => {
    const { gadgets } = await createDefinition(session)
    await session.post(gadgets, { ...gadget(session), kind: 'Widget' })
  },
  'other-version': async (session) => {
    const { gadgets } = await createDefinition(session)
    await session.post(gadgets, { ...gadget(session), apiVersion: `${session.name}.example.com/v9` })
  },
  'wrong-name': async (session) => {
    const { gadgets } = await createDefinition(session)
    await session.post(gadgets, { ...gadget(session), metadata: { name: 'Not_A_Name' } })
  },
  'not-there': async (session) => {
    const { gadgets } = await createDefinition(session)
    await session.get(`${gadgets}/${session.name}`)
    await session.delete(`${gadgets}/${session.name}`)
  },
  'generation-counts-the-spec': async (session) => {
    const { gadgets } = await createDefinition(session)
    const path = `${gadgets}/${session.name}`
    const show = ({ metadata }: Json): unknown => metadata.generation
    await session.post(gadgets, gadget(session), { show })
    await session.patch('merge', path, { metadata: { labels: { a: 'b' } } }, { show })
    await session.patch('merge', `${path}/status`, { status: { phase: 'Ready' } }, { show })
    await session.patch('merge', path, { spec: { size: 4 } }, { show })
  },
  'status-alone': async (session) => {
    const { gadgets } = await createDefinition(session)
    const path = `${gadgets}/${session.name}`
    await session.post(gadgets, gadget(session), { isQuiet: true })
    await session.patch('merge', `${path}/status`, { spec: { size: 5 }, status: { phase: 'Ready' } })
    await session.patch('merge', path, { status: { phase: 'Lost' } }, { show: ({ status }) => status })
    await session.patch('merge', `${path}/status`, { status: { phase: 5 } })
  },
  'no-status-subresource': async (session) => {
    const schema = { openAPIV3Schema: GADGET_SCHEMA }
    const { gadgets } = await createDefinition(session, [{ name: 'v1', served: true, storage: true, schema }])
    await session.post(gadgets, { ...gadget(session), status: { phase: 'Ready' } }, { show: ({ status }) => status })
    await session.get(`${gadgets}/${session.name}/status`)
    const show = ({ metadata }: Json): unknown => metadata.generation
    await session.patch('merge', `${gadgets}/${session.name}`, { status: { phase: 'Lost' } }, { show })
  },
  scale: async (session) => {
    const { gadgets } = await createDefinition(session)
    const path = `${gadgets}/${session.name}`
    await session.post(gadgets, gadget(session, { replicas: 2 }), { isQuiet: true })
    await session.patch('merge', `${path}/status`, { status: { replicas: 1, selector: 'a=b' } }, { isQuiet: true })
    await session.get(`${path}/scale`)
    await session.patch('merge', `${path}/scale`, { spec: { replicas: 5 } })
    await session.get(path, { show: shownSpec })
  },
  'scale-below-zero': createsGadget({ replicas: -1 }),
  put: async (session) => {
    const { gadgets } = await createDefinition(session)
    const { body } = await session.post(gadgets, gadget(session), { isQuiet: true })
    await session.put(`${gadgets}/${session.name}`, { ...body, spec: { size: 7 } })
    await session.put(`${gadgets}/${session.name}`, { ...body, spec: { size: 8 } })
  },
  'put-without-version': async (session) => {
    const { gadgets } = await createDefinition(session)
    await session.post(gadgets, gadget(session), { isQuiet: true })
    await session.put(`${gadgets}/${session.name}`, gadget(session, { size: 7 }))
  },
  'json-patch': async (session) => {
    const { gadgets } = await createDefinition(session)
    await session.post(gadgets, gadget(session), { isQuiet: true })
    await session.patch('json', `${gadgets}/${session.name}`, [{ op: 'replace', path: '/spec/size', value: 4 }])
  },
  'merge-patch-is-validated': async (session) => {
    const { gadgets } = await createDefinition(session)
    await session.post(gadgets, gadget(session), { isQuiet: true })
    await session.patch('merge', `${gadgets}/${session.name}`, { spec: { size: 40 } })
  },
  'no-strategic-patch': async (session) => {
    const { gadgets } = await createDefinition(session)
    await session.post(gadgets, gadget(session), { isQuiet: true })
    await session.patch('strategic', `${gadgets}/${session.name}`, { spec: { size: 4 } })
  },
  'old-mistakes-stay': async (session) => {
    const wide = {
      type: 'object',
      properties: { spec: { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'integer' } } } },
    }
    const { gadgets, path } = await createDefinition(session, [
      { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: wide } },
    ])
    await session.post(gadgets, gadget(session, { a: 9, b: 1 }), { isQuiet: true })
    const narrow = {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: { a: { type: 'integer', maximum: 5 }, b: { type: 'integer' } } },
      },
    }
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: narrow } }]
    await session.patch('merge', path, { spec: { versions } }, { isQuiet: true })
    const late = { ...gadget(session, { a: 9 }), metadata: { name: 'late' } }
    // Until the new schema is in effect, the server accepts another object.
    let isNarrow = false
    for (let tries = 0; tries < 100 && !isNarrow; tries++) {
      const { status } = await session.post(`${gadgets}?dryRun=All`, late, { isQuiet: true })
      isNarrow = status === 422
      let asked = 0
      if (!isNarrow) await session.until(path, () => asked++ > 0, { isQuiet: true })
    }
    await session.patch('merge', `${gadgets}/${session.name}`, { spec: { b: 2 } }, { show: shownSpec })
    await session.patch('merge', `${gadgets}/${session.name}`, { spec: { a: 8 } }, { show: shownSpec })
  },
  'applied-and-owned': async (session) => {
    const { gadgets } = await createDefinition(session)
    const path = `${gadgets}/${session.name}`
    // managedFields are ordered by their time in seconds, then by manager: the three writes have to share a second.
    await session.startOfSecond()
    await session.patch(
      'apply',
      by(path, 'one'),
      gadget(session, { size: 3, parts: [{ name: 'a' }], tags: ['x'], whole: { a: '1' } }),
      { show: fields },
    )
    await session.patch('apply', by(path, 'two'), gadget(session, { parts: [{ name: 'b' }], tags: ['y'] }), {
      show: fields,
    })
    await session.patch('apply', by(path, 'one'), gadget(session, { size: 3, tags: ['x'] }), { show: fields })
  },
  'apply-conflict': async (session) => {
    const { gadgets } = await createDefinition(session)
    const path = `${gadgets}/${session.name}`
    await session.patch('apply', by(path, 'one'), gadget(session, { size: 3, parts: [{ name: 'a', count: 2 }] }), {
      isQuiet: true,
    })
    await session.patch('apply', by(path, 'two'), gadget(session, { size: 4, parts: [{ name: 'a', count: 3 }] }))
    await session.patch('apply', by(path, 'two', '&force=true'), gadget(session, { size: 4 }), { show: fields })
  },
  'apply-of-unknown-field': async (session) => {
    const { gadgets } = await createDefinition(session)
    await session.patch('apply', by(`${gadgets}/${session.name}`, 'one'), gadget(session, { other: 1 }))
  },
  'apply-to-status': async (session) => {
    const { gadgets } = await createDefinition(session)
    const path = `${gadgets}/${session.name}`
    await session.post(gadgets, gadget(session), { isQuiet: true })
    const { spec: _, ...status } = { ...gadget(session), status: { phase: 'Ready' } }
    await session.patch('apply', by(`${path}/status`, 'one'), status, {
      show: ({ metadata, status }) => [metadata.managedFields, status],
    })
  },
  'update-owns': async (session) => {
    const { gadgets } = await createDefinition(session)
    await session.post(
      gadgets,
      gadget(session, { size: 3, parts: [{ name: 'a' }], free: { a: { b: 1 }, list: [1] } }),
      {
        show: fields,
      },
    )
  },
  table: async (session) => {
    const { gadgets } = await createDefinition(session)
    await session.post(
      gadgets,
      gadget(session, { size: 3, tags: ['a', 'b'], parts: [{ name: 'x', count: 4 }], isOn: true, ratio: 1.5 }),
      { isQuiet: true },
    )
    await session.get(gadgets, { ...TABLE, show: shownTable })
  },
  'table-without-columns': async (session) => {
    const schema = { openAPIV3Schema: GADGET_SCHEMA }
    const { gadgets } = await createDefinition(session, [{ name: 'v1', served: true, storage: true, schema }])
    await session.post(gadgets, gadget(session), { isQuiet: true })
    await session.get(gadgets, { ...TABLE, show: shownTable })
  },
  'two-versions': async (session) => {
    const { gadgets, version } = await createDefinition(session, TWO_VERSIONS)
    const second = `${version.slice(0, -2)}v2/namespaces/${session.namespace}/gadgets`
    await session.post(gadgets, gadget(session), { isQuiet: true })
    await session.get(`${second}/${session.name}`, { show: ({ apiVersion, spec }) => [apiVersion, spec] })
    await session.patch(
      'merge',
      `${second}/${session.name}`,
      { spec: { size: 6 } },
      { show: ({ apiVersion, spec }) => [apiVersion, spec] },
    )
    await session.get(`${gadgets}/${session.name}`, { show: ({ apiVersion, spec }) => [apiVersion, spec] })
  },
  watched: async (session) => {
    const { gadgets } = await createDefinition(session)
    await session.watch(`${gadgets}?watch=true`, {
      frames: 2,
      showObject: ({ kind, metadata, spec }) => [kind, metadata.name, spec],
      act: async () => {
        await session.post(gadgets, gadget(session), { isQuiet: true })
        await session.delete(`${gadgets}/${session.name}`, undefined, { isQuiet: true })
      },
    })
  },
  'selected-by-field': async (session) => {
    const schema = { openAPIV3Schema: GADGET_SCHEMA }
    const selectableFields = [{ jsonPath: '.spec.color' }]
    const { gadgets } = await createDefinition(session, [
      { name: 'v1', served: true, storage: true, schema, selectableFields },
    ])
    await session.post(gadgets, gadget(session), { isQuiet: true })
    const show = ({ items }: Json): unknown => items.map(({ metadata }: Json) => metadata.name)
    await session.get(`${gadgets}?fieldSelector=spec.color%3Dred`, { show })
    await session.get(`${gadgets}?fieldSelector=spec.color%3Dblue`, { show })
    await session.get(`${gadgets}?fieldSelector=spec.size%3D3`, { show })
  },
  deleted: async (session) => {
    const { gadgets } = await createDefinition(session)
    await session.post(gadgets, gadget(session), { isQuiet: true })
    await session.delete(`${gadgets}/${session.name}`)
  },
})
