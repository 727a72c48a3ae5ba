import { type ApiObject, equalJson, objectAt, stringAt, withField } from '@berth/embedded-api-server'
import type { Controller, ControllerParts } from '../loop/controller.ts'

const ROOT_CA = 'kube-root-ca.crt'

/**
 * Gives each namespace its default service account and the certificate authority that pods trust, and empties and
 * removes namespaces that are being deleted.
 */
export function namespaceController({ context, client, rootCa }: ControllerParts): Controller {
  const namespaces = context.store.collection('/namespaces')
  return {
    name: 'namespaces',
    interest(storage, { type, key, object }) {
      if (storage === '/namespaces') return type === 'DELETED' ? [] : [key]
      const { namespace: inside, name } = object.metadata
      const namespace = namespaces.get(inside ?? '')
      if (inside === undefined || namespace === undefined) return []
      const isKept =
        (storage === '/serviceaccounts' && name === 'default') || (storage === '/configmaps' && name === ROOT_CA)
      const isEmptied = type === 'DELETED' && stringAt(namespace, 'status', 'phase') === 'Terminating'
      return isEmptied || isKept ? [inside] : []
    },
    reconcile(name) {
      const namespace = namespaces.get(name)
      if (namespace === undefined) return
      if (namespace.metadata.deletionTimestamp !== undefined) empty(name, namespace)
      else furnish(name)
    },
  }

  function furnish(namespace: string): void {
    if (context.store.collection('/serviceaccounts').get(`${namespace}/default`) === undefined) {
      client.create('/serviceaccounts', {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'default', namespace },
      })
    }
    const trust = context.store.collection('/configmaps').get(`${namespace}/${ROOT_CA}`)
    const data = { 'ca.crt': rootCa }
    if (trust === undefined) {
      const annotations = {
        'kubernetes.io/description':
          'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.',
      }
      client.create('/configmaps', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: ROOT_CA, namespace, annotations },
        data,
      })
    } else if (!equalJson(trust['data'], data)) client.update('/configmaps', trust, { ...trust, data })
  }

  function empty(name: string, namespace: ApiObject): void {
    let left = 0
    const storages = new Set(
      context.kinds
        .all()
        .filter((kind) => kind.namespaced)
        .map((kind) => kind.storage),
    )
    for (const storage of storages) {
      const collection = context.store.collection(storage)
      for (const object of collection.list()) {
        if (object.metadata.namespace !== name) continue
        if (object.metadata.deletionTimestamp === undefined)
          client.remove(storage, object, { propagationPolicy: 'Background' })
        if (collection.get(`${name}/${object.metadata.name}`) !== undefined) left++
      }
    }
    if (left > 0) return
    const current = namespaces.get(name) ?? namespace
    if ((current.metadata.finalizers ?? []).length > 0) return
    namespaces.put(name, { ...current, spec: withField(objectAt(current, 'spec'), 'finalizers', undefined) })
    namespaces.remove(name)
  }
}
