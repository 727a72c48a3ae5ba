import type { ApiObject } from '../json/api-object.ts'
import { stringAt, withField, objectAt } from '../json/json-object.ts'
import type { Controller, ControllerParts } from './controller.ts'

/** Gives each namespace its default service account, and empties and removes namespaces that are being deleted. */
export function namespaceController({ context, client }: ControllerParts): Controller {
  const namespaces = context.store.collection('/namespaces')
  return {
    name: 'namespaces',
    interest(storage, { type, key, object }) {
      if (storage === '/namespaces') return type === 'DELETED' ? [] : [key]
      if (type !== 'DELETED' || object.metadata.namespace === undefined) return []
      const namespace = namespaces.get(object.metadata.namespace)
      return namespace !== undefined && stringAt(namespace, 'status', 'phase') === 'Terminating'
        ? [object.metadata.namespace]
        : []
    },
    reconcile(name) {
      const namespace = namespaces.get(name)
      if (namespace === undefined) return
      if (namespace.metadata.deletionTimestamp !== undefined) empty(name, namespace)
      else if (context.store.collection('/serviceaccounts').get(`${name}/default`) === undefined) {
        client.create('/serviceaccounts', {
          apiVersion: 'v1',
          kind: 'ServiceAccount',
          metadata: { name: 'default', namespace: name },
        })
      }
    },
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
