import { caseGroup, type Answer, type CaseGroup, type Json, type CaseSession } from '../runner/conformance-case.ts'
import { configMap, pod } from '../manifests/manifests.ts'

const owners = ({ data, metadata }: Json): unknown => ({ data, managedFields: metadata.managedFields })
const entry = (more: object = {}): object => ({
  manager: 'somebody',
  operation: 'Update',
  apiVersion: 'v1',
  time: '2020-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:data': { 'f:a': {} } },
  ...more,
})

/** Creates a config map with two keys, which the manager `a-maker` owns. */
async function createConfigMap({ at, name, post }: CaseSession): Promise<Answer> {
  const path = `${at('configmaps')}?fieldManager=a-maker`
  return await post(path, configMap(name, { a: '1', b: '2' }), { isQuiet: true })
}

/** Returns a case that writes these managed fields, and then writes a field with another manager. */
const writesManagedFields =
  (...managedFields: readonly object[]) =>
  async (session: CaseSession): Promise<void> => {
    const { at, name, patch } = session
    await createConfigMap(session)
    await patch('merge', at('configmaps', name), { metadata: { managedFields } }, { show: owners })
    await patch('merge', at('configmaps', name), { data: { b: '3' } }, { show: owners })
  }

/** `metadata.managedFields` that clients write themselves. */
export const owning: CaseGroup = caseGroup('own', {
  'reset-by-an-empty-entry': writesManagedFields({}),
  'no-entries': writesManagedFields(),
  'an-entry-of-ones-own': writesManagedFields(entry()),
  'two-entries': writesManagedFields(entry({ manager: 'z' }), entry({ manager: 'a', operation: 'Apply' })),
  'an-entry-twice': writesManagedFields(entry(), entry({ fieldsV1: { 'f:data': { 'f:b': {} } } })),
  'an-empty-entry-among-others': writesManagedFields(entry(), {}),
  'an-unknown-operation': writesManagedFields(entry({ operation: 'Guess' })),
  'another-form-of-fields': writesManagedFields(entry({ fieldsType: 'FieldsV2' })),
  'fields-that-are-none': writesManagedFields(entry({ fieldsV1: { nonsense: {} } })),
  'no-fields': writesManagedFields(entry({ fieldsV1: {} })),
  'fields-that-are-not-there': writesManagedFields(entry({ fieldsV1: { 'f:data': { 'f:z': {} }, 'f:zz': {} } })),
  'another-version': writesManagedFields(entry({ apiVersion: 'example.com/v9' })),
  'without-manager': writesManagedFields(entry({ manager: '' })),
  'no-time': writesManagedFields(entry({ time: null })),
  'reset-and-change-at-once': async (session) => {
    const { at, name, patch } = session
    await createConfigMap(session)
    const both = { metadata: { managedFields: [{}] }, data: { b: '3' } }
    await patch('merge', at('configmaps', name), both, { show: owners })
  },
  'put-without-them': async (session) => {
    await createConfigMap(session)
    await session.put(session.at('configmaps', session.name), configMap(session.name, { a: '1', b: '3' }), {
      show: owners,
    })
  },
  'put-that-resets': async (session) => {
    await createConfigMap(session)
    const map = configMap(session.name, { a: '1', b: '3' }, { managedFields: [{}] })
    await session.put(session.at('configmaps', session.name), map, { show: owners })
  },
  'put-of-others': async (session) => {
    const { body } = await createConfigMap(session)
    const [first] = body.metadata.managedFields
    body.metadata.managedFields = [{ ...first, manager: 'other' }]
    await session.put(session.at('configmaps', session.name), body, { show: owners })
  },
  'strategic-patch-that-resets': async (session) => {
    await createConfigMap(session)
    const reset = { metadata: { managedFields: [{}] } }
    await session.patch('strategic', session.at('configmaps', session.name), reset, { show: owners })
  },
  'removed-by-a-json-patch': async (session) => {
    await createConfigMap(session)
    const remove = [{ op: 'remove', path: '/metadata/managedFields' }]
    await session.patch('json', session.at('configmaps', session.name), remove, { show: owners })
  },
  // kubectl and Helm do this to objects from before they used server-side apply.
  'taken-over-from-client-side-apply': async (session) => {
    const { at, name, patch } = session
    const { body } = await createConfigMap(session)
    const managedFields = body.metadata.managedFields.map((each: object) => ({
      ...each,
      manager: 'taker',
      operation: 'Apply',
    }))
    const takeOver = [
      { op: 'replace', path: '/metadata/managedFields', value: managedFields },
      { op: 'replace', path: '/metadata/resourceVersion', value: body.metadata.resourceVersion },
    ]
    await patch('json', at('configmaps', name), takeOver, { show: owners })
    const path = `${at('configmaps', name)}?fieldManager=taker&force=true`
    await patch('apply', path, configMap(name, { a: '1' }), { show: owners })
  },
  'reset-and-applied': async (session) => {
    const { at, name, patch } = session
    const path = `${at('configmaps', name)}?fieldManager=one`
    await patch('apply', path, configMap(name, { a: '1', b: '2' }), { isQuiet: true })
    await patch('merge', at('configmaps', name), { metadata: { managedFields: [{}] } }, { show: owners })
    await patch('apply', path, configMap(name, { a: '1' }), { show: owners })
    // Only one owner, because Go lists several in random order.
    await patch('apply', `${at('configmaps', name)}?fieldManager=two`, configMap(name, { b: '9' }), { show: owners })
  },
  'of-an-object-made-bare': async ({ at, name, post, patch }) => {
    await post(at('configmaps'), { metadata: { name } }, { show: owners })
    await patch('merge', at('configmaps', name), { data: { a: '1' } }, { show: owners })
    await patch('apply', `${at('configmaps', name)}?fieldManager=one`, configMap(name, { b: '1' }), { show: owners })
  },
  'in-a-new-object': ({ at, name, post }) =>
    post(at('configmaps'), configMap(name, { a: '1', b: '2' }, { managedFields: [entry()] }), { show: owners }),
  'reset-in-a-new-object': ({ at, name, post }) =>
    post(at('configmaps'), configMap(name, { a: '1' }, { managedFields: [{}] }), { show: owners }),
  'through-the-status': async ({ at, name, post, patch }) => {
    await post(at('pods'), pod(name), { isQuiet: true })
    const reset = { metadata: { managedFields: [{}] }, status: { message: 'a' } }
    await patch('merge', at('pods', name, 'status'), reset, { show: owners })
  },
})
