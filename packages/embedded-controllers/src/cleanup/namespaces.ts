import { type ApiObject, equalJson, objectAt, stringAt, withField } from '@berth/embedded-api-server'
import type { Controller, ControllerDependencies } from '../loop/controller.ts'

const ROOT_CA = 'kube-root-ca.crt'

/**
 * Creates the default service account and the root certificates of each namespace, and deletes the content of namespaces
 * that are being deleted, then the namespaces themselves.
 */
export function namespaceController({ context, writer, rootCa }: ControllerDependencies): Controller {
  const namespaces = context.store.collection('/namespaces')
  return {
    name: 'namespaces',
    keysFor(storage, { type, key, object }) {
      if (storage === '/namespaces') return type === 'DELETED' ? [] : [key]
      const { namespace: namespaceName, name } = object.metadata
      const namespace = namespaces.get(namespaceName ?? '')
      if (namespaceName === undefined || namespace === undefined) return []
      const isDefault =
        (storage === '/serviceaccounts' && name === 'default') || (storage === '/configmaps' && name === ROOT_CA)
      const isEmptied = type === 'DELETED' && stringAt(namespace, 'status', 'phase') === 'Terminating'
      return isEmptied || isDefault ? [namespaceName] : []
    },
    reconcile(name) {
      const namespace = namespaces.get(name)
      if (namespace === undefined) return
      if (namespace.metadata.deletionTimestamp !== undefined) deleteContent(name, namespace)
      else createDefaults(name)
    },
  }

  function createDefaults(namespace: string): void {
    if (context.store.collection('/serviceaccounts').get(`${namespace}/default`) === undefined) {
      writer.create('/serviceaccounts', {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'default', namespace },
      })
    }
    const rootCerts = context.store.collection('/configmaps').get(`${namespace}/${ROOT_CA}`)
    const data = { 'ca.crt': rootCa }
    if (rootCerts === undefined) {
      const annotations = {
        'kubernetes.io/description':
          'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.',
      }
      writer.create('/configmaps', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: ROOT_CA, namespace, annotations },
        data,
      })
    } else if (!equalJson(rootCerts['data'], data)) writer.update('/configmaps', rootCerts, { ...rootCerts, data })
  }

  function deleteContent(name: string, namespace: ApiObject): void {
    let remaining = 0
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
          writer.remove(storage, object, { propagationPolicy: 'Background' })
        if (collection.get(`${name}/${object.metadata.name}`) !== undefined) remaining++
      }
    }
    if (remaining > 0) return
    const current = namespaces.get(name) ?? namespace
    if ((current.metadata.finalizers ?? []).length > 0) return
    namespaces.put(name, { ...current, spec: withField(objectAt(current, 'spec'), 'finalizers', undefined) })
    namespaces.remove(name)
  }
}
