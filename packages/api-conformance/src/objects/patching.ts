import { caseGroup, type CaseGroup } from '../runner/conformance-case.ts'
import { configMap, deployment, pod } from '../manifests/manifests.ts'

const twoContainers = {
  containers: [
    { name: 'main', image: 'registry.k8s.io/pause:3.10' },
    { name: 'side', image: 'registry.k8s.io/pause:3.10', env: [{ name: 'A', value: '1' }] },
  ],
}
const template = (spec: object): object => ({ spec: { template: { spec } } })
const showTemplate = ({ spec }: { spec: { template: object } }): unknown => spec.template

/** JSON, merge and strategic merge patches. */
export const patching: CaseGroup = caseGroup('patch', {
  'json-add-replace-remove': async ({ at, name, post, patch }) => {
    await post(at('configmaps'), configMap(name, { a: '1', b: '2' }), { isQuiet: true })
    await patch('json', at('configmaps', name), [
      { op: 'add', path: '/data/c', value: '3' },
      { op: 'replace', path: '/data/a', value: '9' },
      { op: 'remove', path: '/data/b' },
    ])
  },
  'json-move-copy-test': async ({ at, name, post, patch }) => {
    await post(at('configmaps'), configMap(name, { a: '1' }), { isQuiet: true })
    await patch('json', at('configmaps', name), [
      { op: 'test', path: '/data/a', value: '1' },
      { op: 'copy', from: '/data/a', path: '/data/b' },
      { op: 'move', from: '/data/a', path: '/data/c' },
    ])
  },
  'json-escaped-key': async ({ at, name, post, patch }) => {
    await post(at('configmaps'), configMap(name, {}, { annotations: { 'example.com/a': 'x' } }), { isQuiet: true })
    await patch('json', at('configmaps', name), [
      { op: 'replace', path: '/metadata/annotations/example.com~1a', value: 'y' },
    ])
  },
  'json-test-fails': async ({ at, name, post, patch, get }) => {
    await post(at('configmaps'), configMap(name))
    await patch('json', at('configmaps', name), [
      { op: 'add', path: '/data/b', value: '2' },
      { op: 'test', path: '/data/a', value: '7' },
    ])
    await get(at('configmaps', name))
  },
  'json-missing-path': async ({ at, name, post, patch }) => {
    await post(at('configmaps'), configMap(name), { isQuiet: true })
    await patch('json', at('configmaps', name), [{ op: 'remove', path: '/data/none' }])
  },
  'json-replace-missing': async ({ at, name, post, patch }) => {
    await post(at('configmaps'), configMap(name), { isQuiet: true })
    await patch('json', at('configmaps', name), [{ op: 'replace', path: '/none/x', value: 1 }])
  },
  'json-no-list': async ({ at, name, post, patch }) => {
    await post(at('configmaps'), configMap(name), { isQuiet: true })
    await patch('json', at('configmaps', name), { data: { b: '2' } })
  },
  'json-unknown-operation': async ({ at, name, post, patch }) => {
    await post(at('configmaps'), configMap(name), { isQuiet: true })
    await patch('json', at('configmaps', name), [{ op: 'shake', path: '/data' }])
  },
  'json-append-to-list': async ({ at, name, post, patch }) => {
    await post(at('pods'), pod(name), { isQuiet: true })
    const value = { key: 'a', operator: 'Exists' }
    await patch('json', at('pods', name), [{ op: 'add', path: '/spec/tolerations/-', value }], {
      show: ({ spec }) => spec.tolerations,
    })
  },
  'merge-add-and-remove': async ({ at, name, post, patch }) => {
    await post(at('configmaps'), configMap(name, { a: '1', b: '2' }), { isQuiet: true })
    await patch('merge', at('configmaps', name), { data: { a: null, c: '3' }, metadata: { labels: { x: 'y' } } })
  },
  'merge-nothing': async ({ at, name, post, patch }) => {
    await post(at('configmaps'), configMap(name))
    await patch('merge', at('configmaps', name), {})
  },
  'merge-same-values': async ({ at, name, post, patch }) => {
    await post(at('configmaps'), configMap(name))
    await patch('merge', at('configmaps', name), { data: { a: '1' } })
  },
  'merge-replaces-lists': async ({ at, name, post, patch }) => {
    await post(
      at('apps/v1/deployments'),
      deployment(name, { template: { metadata: { labels: { app: name } }, spec: twoContainers } }),
      { isQuiet: true },
    )
    await patch('merge', at('apps/v1/deployments', name), template({ containers: [{ name: 'only', image: 'x' }] }), {
      show: showTemplate,
    })
  },
  'merge-stale-version': async ({ at, name, post, patch }) => {
    const { body } = await post(at('configmaps'), configMap(name), { isQuiet: true })
    await patch('merge', at('configmaps', name), { data: { b: '2' } }, { isQuiet: true })
    await patch('merge', at('configmaps', name), {
      metadata: { resourceVersion: body.metadata.resourceVersion },
      data: { c: '3' },
    })
  },
  'merge-no-object': async ({ at, name, post, patch }) => {
    await post(at('configmaps'), configMap(name), { isQuiet: true })
    await patch('merge', at('configmaps', name), ['a'])
  },
  'merge-no-json': async ({ at, name, post, patch }) => {
    await post(at('configmaps'), configMap(name), { isQuiet: true })
    await patch('merge', at('configmaps', name), '{')
  },
  'merge-missing-object': ({ at, name, patch }) => patch('merge', at('configmaps', name), { data: { b: '2' } }),
  'merge-makes-it-invalid': async ({ at, name, post, patch }) => {
    await post(at('configmaps'), configMap(name), { isQuiet: true })
    await patch('merge', at('configmaps', name), { metadata: { labels: { 'not ok': 'x' } } })
  },
  'merge-wrong-type': async ({ at, name, post, patch }) => {
    await post(at('configmaps'), configMap(name), { isQuiet: true })
    await patch('merge', at('configmaps', name), { data: 'text' })
  },
  'merge-renames': async ({ at, name, post, patch }) => {
    await post(at('configmaps'), configMap(name), { isQuiet: true })
    await patch('merge', at('configmaps', name), { metadata: { name: 'other' } })
  },
  'merge-changes-uid': async ({ at, name, post, patch }) => {
    await post(at('configmaps'), configMap(name), { isQuiet: true })
    await patch('merge', at('configmaps', name), { metadata: { uid: '00000000-0000-0000-0000-000000000001' } })
  },
  'merge-unknown-field': async ({ at, name, post, patch }) => {
    await post(at('configmaps'), configMap(name), { isQuiet: true })
    await patch('merge', at('configmaps', name), { surprise: 1 })
  },
  'merge-unknown-field-strict': async ({ at, name, post, patch }) => {
    await post(at('configmaps'), configMap(name), { isQuiet: true })
    await patch('merge', `${at('configmaps', name)}?fieldValidation=Strict`, { surprise: 1 })
  },
  'merge-dry-run': async ({ at, name, post, patch, get }) => {
    await post(at('configmaps'), configMap(name), { isQuiet: true })
    await patch('merge', `${at('configmaps', name)}?dryRun=All`, { data: { b: '2' } }, { show: ({ data }) => data })
    await get(at('configmaps', name), { show: ({ data }) => data })
  },
  'strategic-merges-by-name': async ({ at, name, post, patch }) => {
    await post(
      at('apps/v1/deployments'),
      deployment(name, { template: { metadata: { labels: { app: name } }, spec: twoContainers } }),
      { isQuiet: true },
    )
    const change = template({ containers: [{ name: 'side', image: 'other', env: [{ name: 'B', value: '2' }] }] })
    await patch('strategic', at('apps/v1/deployments', name), change, { show: showTemplate })
  },
  'strategic-delete-item': async ({ at, name, post, patch }) => {
    await post(
      at('apps/v1/deployments'),
      deployment(name, { template: { metadata: { labels: { app: name } }, spec: twoContainers } }),
      { isQuiet: true },
    )
    await patch(
      'strategic',
      at('apps/v1/deployments', name),
      template({ containers: [{ name: 'side', $patch: 'delete' }] }),
      { show: showTemplate },
    )
  },
  'strategic-replace-list': async ({ at, name, post, patch }) => {
    await post(
      at('apps/v1/deployments'),
      deployment(name, { template: { metadata: { labels: { app: name } }, spec: twoContainers } }),
      { isQuiet: true },
    )
    const containers = [{ $patch: 'replace' }, { name: 'only', image: 'x' }]
    await patch('strategic', at('apps/v1/deployments', name), template({ containers }), { show: showTemplate })
  },
  'strategic-element-order': async ({ at, name, post, patch }) => {
    await post(
      at('apps/v1/deployments'),
      deployment(name, { template: { metadata: { labels: { app: name } }, spec: twoContainers } }),
      { isQuiet: true },
    )
    const spec = {
      '$setElementOrder/containers': [{ name: 'side' }, { name: 'main' }],
      containers: [{ name: 'main', image: 'y' }],
    }
    await patch('strategic', at('apps/v1/deployments', name), template(spec), { show: showTemplate })
  },
  'strategic-delete-from-primitive-list': async ({ at, name, post, patch }) => {
    await post(at('configmaps'), configMap(name, {}, { finalizers: ['example.com/a', 'example.com/b'] }), {
      isQuiet: true,
    })
    await patch('strategic', at('configmaps', name), {
      metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/a'] },
    })
  },
  'strategic-adds-finalizer': async ({ at, name, post, patch }) => {
    await post(at('configmaps'), configMap(name, {}, { finalizers: ['example.com/a'] }), { isQuiet: true })
    await patch(
      'strategic',
      at('configmaps', name),
      { metadata: { finalizers: ['example.com/b'] } },
      { show: ({ metadata }) => metadata.finalizers },
    )
  },
  'strategic-retain-keys': async ({ at, name, post, patch }) => {
    await post(at('apps/v1/deployments'), deployment(name), { isQuiet: true })
    await patch(
      'strategic',
      at('apps/v1/deployments', name),
      { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } },
      { show: ({ spec }) => spec.strategy },
    )
  },
  'strategic-null-removes': async ({ at, name, post, patch }) => {
    await post(at('configmaps'), configMap(name, { a: '1', b: '2' }), { isQuiet: true })
    await patch('strategic', at('configmaps', name), { data: { a: null } }, { show: ({ data }) => data })
  },
  'strategic-unknown-directive': async ({ at, name, post, patch }) => {
    await post(at('configmaps'), configMap(name), { isQuiet: true })
    await patch('strategic', at('configmaps', name), { data: { $patch: 'shake' } })
  },
  'pod-labels': async ({ at, name, post, patch }) => {
    await post(at('pods'), pod(name), { isQuiet: true })
    await patch(
      'strategic',
      at('pods', name),
      { metadata: { labels: { a: 'b' } } },
      { show: ({ metadata }) => metadata },
    )
  },
  'unknown-media-type': async ({ at, name, post, send }) => {
    await post(at('configmaps'), configMap(name), { isQuiet: true })
    await send('PATCH', at('configmaps', name), {}, { headers: { 'content-type': 'application/json' } })
  },
  'force-without-apply': async ({ at, name, post, patch }) => {
    await post(at('configmaps'), configMap(name), { isQuiet: true })
    await patch('merge', `${at('configmaps', name)}?force=true`, { data: { b: '2' } })
  },
  'quantity-that-is-none': async ({ at, name, post, patch }) => {
    await post(at('apps/v1/deployments'), deployment(name), { isQuiet: true })
    const path = at('apps/v1/deployments', name)
    const containers = [{ name: 'main', image: 'none', resources: { limits: { cpu: 'much' } } }]
    await patch('merge', path, { spec: { template: { spec: { containers } } } })
    await patch('strategic', path, { spec: { template: { spec: { containers } } } })
    await patch('json', path, [
      { op: 'add', path: '/spec/template/spec/containers/0/resources', value: { limits: { cpu: 'much' } } },
    ])
  },
})
