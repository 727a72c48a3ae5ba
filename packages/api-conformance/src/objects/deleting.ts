import { caseGroup, type CaseGroup, type Json } from '../runner/conformance-case.ts'
import { configMap, deployment, pod } from '../manifests/manifests.ts'

const deletion = (more: object): object => ({ kind: 'DeleteOptions', apiVersion: 'v1', ...more })
const mark = ({ metadata }: Json): unknown => ({
  finalizers: metadata.finalizers,
  isMarked: metadata.deletionTimestamp !== undefined,
  grace: metadata.deletionGracePeriodSeconds,
  generation: metadata.generation,
})

/** DELETE: responses, preconditions, finalizers, grace periods, owners. */
export const deleting: CaseGroup = caseGroup('delete', {
  'config-map': async ({ at, name, post, get, delete: remove }) => {
    await post(at('configmaps'), configMap(name))
    await remove(at('configmaps', name))
    await get(at('configmaps', name))
  },
  'in-group': async ({ at, name, post, delete: remove }) => {
    await post(at('coordination.k8s.io/v1/leases'), { metadata: { name } })
    await remove(at('coordination.k8s.io/v1/leases', name))
  },
  missing: ({ at, name, delete: remove }) => remove(at('configmaps', name)),
  'pod-without-node': async ({ at, name, post, get, delete: remove }) => {
    await post(at('pods'), pod(name), { isQuiet: true })
    await remove(at('pods', name))
    await get(at('pods', name))
  },
  'pod-on-node': async ({ at, name, post, delete: remove }) => {
    await post(at('pods'), pod(name, {}, { nodeName: 'no-such-node' }), { isQuiet: true })
    await remove(at('pods', name), undefined, { show: mark })
    await remove(at('pods', name), deletion({ gracePeriodSeconds: 5 }), { show: mark })
    await remove(at('pods', name), deletion({ gracePeriodSeconds: 20 }), { show: mark })
    await remove(`${at('pods', name)}?gracePeriodSeconds=0`, undefined, { show: mark })
  },
  'ended-pod-on-node': async ({ at, name, post, patch, get, delete: remove }) => {
    await post(at('pods'), pod(name, {}, { nodeName: 'no-such-node' }), { isQuiet: true })
    await patch('merge', at('pods', name, 'status'), { status: { phase: 'Succeeded' } }, { isQuiet: true })
    await remove(at('pods', name), undefined, { show: mark })
    await get(at('pods', name))
  },
  'negative-grace': async ({ at, name, post, delete: remove }) => {
    await post(at('pods'), pod(name, {}, { nodeName: 'no-such-node' }), { isQuiet: true })
    await remove(at('pods', name), deletion({ gracePeriodSeconds: -5 }), { show: mark })
  },
  'other-uid': async ({ at, name, post, delete: remove }) => {
    await post(at('configmaps'), configMap(name), { isQuiet: true })
    await remove(at('configmaps', name), deletion({ preconditions: { uid: '00000000-0000-0000-0000-000000000001' } }))
  },
  'same-uid': async ({ at, name, post, delete: remove }) => {
    const { body } = await post(at('configmaps'), configMap(name), { isQuiet: true })
    await remove(at('configmaps', name), deletion({ preconditions: { uid: body.metadata.uid } }))
  },
  'stale-version': async ({ at, name, post, delete: remove }) => {
    await post(at('configmaps'), configMap(name), { isQuiet: true })
    await remove(at('configmaps', name), deletion({ preconditions: { resourceVersion: '1' } }))
  },
  'dry-run': async ({ at, name, post, get, delete: remove }) => {
    await post(at('configmaps'), configMap(name))
    await remove(`${at('configmaps', name)}?dryRun=All`)
    await remove(at('configmaps', name), deletion({ dryRun: ['All'] }))
    await get(at('configmaps', name))
  },
  'policy-unknown': async ({ at, name, post, delete: remove }) => {
    await post(at('configmaps'), configMap(name), { isQuiet: true })
    await remove(at('configmaps', name), deletion({ propagationPolicy: 'Sideways' }))
  },
  'policy-and-orphan': async ({ at, name, post, delete: remove }) => {
    await post(at('configmaps'), configMap(name), { isQuiet: true })
    await remove(at('configmaps', name), deletion({ propagationPolicy: 'Background', orphanDependents: true }))
  },
  'body-of-other-kind': async ({ at, name, post, delete: remove }) => {
    await post(at('configmaps'), configMap(name), { isQuiet: true })
    await remove(at('configmaps', name), { kind: 'Pod', apiVersion: 'v1' })
  },
  'held-by-finalizer': async ({ at, name, post, patch, get, delete: remove }) => {
    await post(at('configmaps'), configMap(name, {}, { finalizers: ['example.com/hold'] }))
    await remove(at('configmaps', name))
    await remove(at('configmaps', name), undefined, { show: mark })
    await patch('merge', at('configmaps', name), { metadata: { finalizers: null } })
    await get(at('configmaps', name))
  },
  'finalizer-added-while-going': async ({ at, name, post, patch, delete: remove }) => {
    await post(at('configmaps'), configMap(name, {}, { finalizers: ['example.com/hold'] }), { isQuiet: true })
    await remove(at('configmaps', name), undefined, { isQuiet: true })
    await patch('merge', at('configmaps', name), { metadata: { finalizers: ['example.com/hold', 'example.com/more'] } })
  },
  'data-changes-while-going': async ({ at, name, post, patch, delete: remove }) => {
    await post(at('configmaps'), configMap(name, {}, { finalizers: ['example.com/hold'] }), { isQuiet: true })
    await remove(at('configmaps', name), undefined, { isQuiet: true })
    await patch('merge', at('configmaps', name), { data: { a: '2' } }, { show: mark })
  },
  'name-again-while-going': async ({ at, name, post, delete: remove }) => {
    await post(at('configmaps'), configMap(name, {}, { finalizers: ['example.com/hold'] }), { isQuiet: true })
    await remove(at('configmaps', name), undefined, { isQuiet: true })
    await post(at('configmaps'), configMap(name))
  },
  collection: async ({ at, name, post, get, delete: remove }) => {
    for (const part of ['a', 'b'])
      await post(at('configmaps'), configMap(`${name}-${part}`, {}, { labels: { of: name } }), { isQuiet: true })
    await remove(`${at('configmaps')}?labelSelector=of%3D${name}`)
    await get(`${at('configmaps')}?labelSelector=of%3D${name}`)
  },
  'collection-of-nothing': ({ at, name, delete: remove }) => remove(`${at('configmaps')}?labelSelector=of%3D${name}`),
  'collection-held': async ({ at, name, post, delete: remove }) => {
    await post(at('configmaps'), configMap(name, {}, { labels: { of: name }, finalizers: ['example.com/hold'] }), {
      isQuiet: true,
    })
    await remove(`${at('configmaps')}?labelSelector=of%3D${name}`, undefined, {
      show: ({ kind, items }) => ({ kind, items: items.map(mark) }),
    })
  },
  'collection-of-all-namespaces': ({ delete: remove }) => remove('/api/v1/configmaps?labelSelector=nothing'),
  'dependents-in-background': async ({ at, name, post, until, delete: remove }) => {
    const { body } = await post(at('configmaps'), configMap(name))
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name, uid: body.metadata.uid }
    await post(at('configmaps'), configMap(`${name}-child`, {}, { ownerReferences: [owner] }))
    await remove(`${at('configmaps', name)}?propagationPolicy=Background`)
    await until(at('configmaps', `${name}-child`), ({ status }) => status === 404)
  },
  'dependents-first': async ({ at, name, post, until, delete: remove }) => {
    const { body } = await post(at('configmaps'), configMap(name), { isQuiet: true })
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name, uid: body.metadata.uid, blockOwnerDeletion: true }
    await post(at('configmaps'), configMap(`${name}-child`, {}, { ownerReferences: [owner] }), { isQuiet: true })
    await remove(`${at('configmaps', name)}?propagationPolicy=Foreground`, undefined, { show: mark })
    await until(at('configmaps', name), ({ status }) => status === 404)
    await until(at('configmaps', `${name}-child`), ({ status }) => status === 404)
  },
  'dependents-left-alone': async ({ at, name, post, until, delete: remove }) => {
    const { body } = await post(at('configmaps'), configMap(name), { isQuiet: true })
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name, uid: body.metadata.uid }
    await post(at('configmaps'), configMap(`${name}-child`, {}, { ownerReferences: [owner] }), { isQuiet: true })
    await remove(`${at('configmaps', name)}?propagationPolicy=Orphan`, undefined, { show: mark })
    await until(at('configmaps', name), ({ status }) => status === 404)
    await until(at('configmaps', `${name}-child`), ({ body }) => body.metadata.ownerReferences === undefined, {
      show: ({ metadata }) => metadata.ownerReferences ?? 'none',
    })
  },
  'owner-that-never-was': async ({ at, name, post, until }) => {
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'never', uid: '00000000-0000-0000-0000-000000000001' }
    await post(at('configmaps'), configMap(name, {}, { ownerReferences: [owner] }), { isQuiet: true })
    await until(at('configmaps', name), ({ status }) => status === 404)
  },
  'second-owner-remains': async ({ at, name, post, until, delete: remove }) => {
    const owners: object[] = []
    for (const part of ['a', 'b']) {
      const { body } = await post(at('configmaps'), configMap(`${name}-${part}`), { isQuiet: true })
      owners.push({ apiVersion: 'v1', kind: 'ConfigMap', name: `${name}-${part}`, uid: body.metadata.uid })
    }
    await post(at('configmaps'), configMap(name, {}, { ownerReferences: owners }), { isQuiet: true })
    await remove(`${at('configmaps', `${name}-a`)}?propagationPolicy=Background`, undefined, { isQuiet: true })
    await until(at('configmaps', name), ({ body }) => body.metadata?.ownerReferences?.length === 1, {
      show: ({ metadata }) => metadata.ownerReferences,
    })
  },
  'deployment-with-its-replica-set': async ({ at, name, post, until, delete: remove }) => {
    await post(at('apps/v1/deployments'), deployment(name), { isQuiet: true })
    const sets = `${at('apps/v1/replicasets')}?labelSelector=app%3D${name}`
    await until(sets, ({ body }) => body.items.length === 1, { show: ({ items }) => items.length })
    await remove(at('apps/v1/deployments', name), undefined, {
      show: ({ details, status }) => ({ kind: details.kind, status }),
    })
    await until(sets, ({ body }) => body.items.length === 0, { show: ({ items }) => items.length })
  },
  namespace: async ({ name, namespace, post, until, delete: remove }) => {
    const made = `${namespace}-${name}`.slice(0, 63)
    await post('/api/v1/namespaces', { metadata: { name: made } }, { isQuiet: true })
    await post(`/api/v1/namespaces/${made}/configmaps`, configMap('a'), { isQuiet: true })
    await remove(`/api/v1/namespaces/${made}`, undefined, {
      show: ({ metadata, spec, status }) => ({ isMarked: metadata.deletionTimestamp !== undefined, spec, status }),
    })
    await until(`/api/v1/namespaces/${made}`, ({ status }) => status === 404)
  },
  'protected-namespace': ({ delete: remove }) => remove('/api/v1/namespaces/default'),
})
