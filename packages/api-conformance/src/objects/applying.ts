import { caseGroup, type CaseGroup, type Json } from '../runner/conformance-case.ts'
import { configMap, deployment, pod } from '../manifests/manifests.ts'

const by = (path: string, manager: string, more = ''): string => `${path}?fieldManager=${manager}${more}`

/** Server-side apply: ownership, conflicts, force, giving up fields. */
export const applying: CaseGroup = caseGroup('apply', {
  creates: async ({ at, name, patch, get }) => {
    await patch('apply', by(at('configmaps', name), 'one'), configMap(name))
    await get(at('configmaps', name))
  },
  'without-manager': ({ at, name, patch }) => patch('apply', at('configmaps', name), configMap(name)),
  'same-twice': async ({ at, name, patch }) => {
    await patch('apply', by(at('configmaps', name), 'one'), configMap(name))
    await patch('apply', by(at('configmaps', name), 'one'), configMap(name))
  },
  'own-field-changes': async ({ at, name, patch }) => {
    await patch('apply', by(at('configmaps', name), 'one'), configMap(name), { isQuiet: true })
    await patch('apply', by(at('configmaps', name), 'one'), configMap(name, { a: '2', b: '3' }))
  },
  'field-given-up': async ({ at, name, patch }) => {
    await patch('apply', by(at('configmaps', name), 'one'), configMap(name, { a: '1', b: '2' }), { isQuiet: true })
    await patch('apply', by(at('configmaps', name), 'one'), configMap(name, { a: '1' }))
  },
  'shared-field-given-up': async ({ at, name, patch }) => {
    await patch('apply', by(at('configmaps', name), 'one'), configMap(name, { a: '1', b: '2' }), { isQuiet: true })
    await patch('apply', by(at('configmaps', name), 'two'), configMap(name, { b: '2' }))
    await patch('apply', by(at('configmaps', name), 'one'), configMap(name, { a: '1' }))
  },
  conflict: async ({ at, name, patch }) => {
    await patch('apply', by(at('configmaps', name), 'one'), configMap(name), { isQuiet: true })
    await patch('apply', by(at('configmaps', name), 'two'), configMap(name, { a: '2' }))
  },
  'two-conflicts': async ({ at, name, patch }) => {
    await patch('apply', by(at('configmaps', name), 'one'), configMap(name, { a: '1', b: '1' }), { isQuiet: true })
    await patch('apply', by(at('configmaps', name), 'two'), configMap(name, { a: '2', b: '2' }))
  },
  'conflict-with-update': async ({ at, name, post, patch }) => {
    await post(at('configmaps'), configMap(name), { isQuiet: true })
    await patch('apply', by(at('configmaps', name), 'two'), configMap(name, { a: '2' }))
  },
  'conflict-in-pod-template': async ({ at, name, patch }) => {
    const path = at('apps/v1/deployments', name)
    await patch('apply', by(path, 'one'), deployment(name), { isQuiet: true })
    const spec = { containers: [{ name: 'main', image: 'other' }] }
    await patch('apply', by(path, 'two'), {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name },
      spec: { template: { spec } },
    })
  },
  forced: async ({ at, name, patch }) => {
    await patch('apply', by(at('configmaps', name), 'one'), configMap(name), { isQuiet: true })
    await patch('apply', by(at('configmaps', name), 'two', '&force=true'), configMap(name, { a: '2' }))
  },
  'same-value-is-shared': async ({ at, name, patch }) => {
    await patch('apply', by(at('configmaps', name), 'one'), configMap(name), { isQuiet: true })
    await patch('apply', by(at('configmaps', name), 'two'), configMap(name))
  },
  'update-takes-over': async ({ at, name, patch, put }) => {
    await patch('apply', by(at('configmaps', name), 'one'), configMap(name), { isQuiet: true })
    await put(at('configmaps', name), configMap(name, { a: '2' }))
    await patch('apply', by(at('configmaps', name), 'one'), configMap(name, { a: '3' }))
  },
  'merge-patch-takes-over': async ({ at, name, patch }) => {
    await patch('apply', by(at('configmaps', name), 'one'), configMap(name), { isQuiet: true })
    await patch('merge', at('configmaps', name), { data: { a: '2', b: '1' } })
  },
  'same-manager-updates': async ({ at, name, patch }) => {
    await patch('apply', by(at('configmaps', name), 'one'), configMap(name), { isQuiet: true })
    await patch('merge', by(at('configmaps', name), 'one'), { data: { a: '2' } })
    await patch('apply', by(at('configmaps', name), 'one'), configMap(name, { a: '3' }))
  },
  'item-of-list': async ({ at, name, patch, post }) => {
    await post(at('apps/v1/deployments'), deployment(name), { isQuiet: true })
    const spec = {
      template: { spec: { containers: [{ name: 'side', image: 'x', env: [{ name: 'A', value: '1' }] }] } },
    }
    const path = at('apps/v1/deployments', name)
    const show = ({ spec }: { spec: { template: { spec: { containers: object } } } }): unknown =>
      spec.template.spec.containers
    await patch(
      'apply',
      by(path, 'two'),
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec },
      { show },
    )
    await patch('apply', by(path, 'two'), { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name } }, { show })
  },
  'pod-managed-fields': async ({ at, name, patch }) => {
    const made = pod(name, { limits: { 'example.com/dongle': 1 } }, {}, { labels: { a: 'b' } })
    await patch('apply', by(at('pods', name), 'one'), made, { show: ({ metadata }) => metadata })
  },
  'atomic-map': ({ at, name, patch }) =>
    patch('apply', by(at('pods', name), 'one'), pod(name, {}, { nodeSelector: { a: 'b' } }), {
      show: ({ metadata }) => metadata.managedFields[0].fieldsV1['f:spec']['f:nodeSelector'],
    }),
  'finalizers-are-a-set': async ({ at, name, patch }) => {
    await patch('apply', by(at('configmaps', name), 'one'), configMap(name, {}, { finalizers: ['example.com/a'] }))
    await patch('apply', by(at('configmaps', name), 'two'), configMap(name, {}, { finalizers: ['example.com/b'] }))
    await patch('apply', by(at('configmaps', name), 'one'), configMap(name, {}))
  },
  'managed-fields-given': async ({ at, name, patch }) => {
    const managedFields = [{ manager: 'x', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} }]
    await patch('apply', by(at('configmaps', name), 'one'), configMap(name, {}, { managedFields }))
  },
  'without-kind': ({ at, name, patch }) => patch('apply', by(at('configmaps', name), 'one'), { metadata: { name } }),
  'other-name': ({ at, name, patch }) => patch('apply', by(at('configmaps', name), 'one'), configMap('other')),
  'stale-version': async ({ at, name, patch }) => {
    const { body } = await patch('apply', by(at('configmaps', name), 'one'), configMap(name), { isQuiet: true })
    const { resourceVersion } = body.metadata
    await patch('merge', at('configmaps', name), { data: { x: '1' } }, { isQuiet: true })
    await patch('apply', by(at('configmaps', name), 'one'), configMap(name, { a: '2' }, { resourceVersion }))
  },
  'version-of-missing-object': ({ at, name, patch }) =>
    patch('apply', by(at('configmaps', name), 'one'), configMap(name, {}, { resourceVersion: '5' })),
  'uid-of-missing-object': ({ at, name, patch }) =>
    patch(
      'apply',
      by(at('configmaps', name), 'one'),
      configMap(name, {}, { uid: '00000000-0000-0000-0000-000000000001' }),
    ),
  invalid: ({ at, name, patch }) =>
    patch('apply', by(at('configmaps', name), 'one'), configMap(name, {}, { labels: { 'not ok': 'x' } })),
  'unknown-field': ({ at, name, patch }) =>
    patch('apply', by(at('configmaps', name), 'one'), { ...configMap(name), surprise: 1 }),
  'dry-run': async ({ at, name, patch, get }) => {
    await patch('apply', by(at('configmaps', name), 'one', '&dryRun=All'), configMap(name), {
      show: ({ data }) => data,
    })
    await get(at('configmaps', name))
  },
  'status-of-pod': async ({ at, name, post, patch }) => {
    await post(at('pods'), pod(name), { isQuiet: true })
    const status = { conditions: [{ type: 'example.com/ready', status: 'True' }] }
    await patch(
      'apply',
      by(at('pods', name, 'status'), 'one'),
      { apiVersion: 'v1', kind: 'Pod', metadata: { name }, status },
      {
        show: ({ metadata, status }) => ({ managedFields: metadata.managedFields, conditions: status.conditions }),
      },
    )
  },
  'status-of-missing-pod': async ({ at, name, patch }) => {
    const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, status: {} }
    await patch('apply', by(at('pods', name, 'status'), 'one'), body)
  },
  yaml: ({ at, name, patch }) =>
    patch('apply', by(at('configmaps', name), 'one'), `apiVersion: v1\nkind: ConfigMap\ndata: {a: "1"}\n`),
  'no-yaml': ({ at, name, patch }) => patch('apply', by(at('configmaps', name), 'one'), '{a: ['),
  'number-after-an-update': async ({ at, name, post, patch }) => {
    const dongles = pod(name, { limits: { 'example.com/dongle': 3 }, requests: { 'example.com/dongle': 3 } })
    await post(by(at('pods'), 'kubectl-client-side-apply'), dongles, { isQuiet: true })
    await patch('apply', by(at('pods', name), 'kubectl'), dongles)
  },
  'number-twice': async ({ at, name, patch }) => {
    const dongles = pod(name, { limits: { 'example.com/dongle': 3 }, requests: { 'example.com/dongle': 3 } })
    const show = ({ metadata, spec }: Json): unknown => [metadata.managedFields, spec.containers[0].resources]
    await patch('apply', by(at('pods', name), 'one'), dongles, { show })
    await patch('apply', by(at('pods', name), 'one'), dongles, { show })
  },
  'other-spelling-of-a-quantity': async ({ at, name, post, patch }) => {
    const cpu = (amount: string): object => pod(name, { limits: { cpu: amount }, requests: { cpu: amount } })
    await post(by(at('pods'), 'one'), cpu('1'), { isQuiet: true })
    await patch('apply', by(at('pods', name), 'two'), cpu('1000m'))
  },
  'quantity-that-is-none': ({ at, name, patch }) =>
    patch('apply', by(at('pods', name), 'one'), pod(name, { limits: { cpu: 'much' } })),
  'quantity-that-is-none-later': async ({ at, name, patch }) => {
    await patch('apply', by(at('pods', name), 'one'), pod(name), { isQuiet: true })
    await patch('apply', by(at('pods', name), 'one'), pod(name, { limits: { cpu: 'much' } }))
  },
  'null-in-config': async ({ at, name, patch }) => {
    const object = { ...(configMap(name) as Json), data: { a: '1', b: null } }
    await patch('apply', by(at('configmaps', name), 'one'), object)
  },
})
