import { type ApiObject, type Change, withMetadata } from '@berth/embedded-api-server'
import type { Controller, ControllerParts } from '../loop/controller.ts'

/**
 * Deletes objects whose owners are all gone, and finishes deletions that wait for dependents (`foregroundDeletion`) or
 * leave them behind (`orphan`).
 */
export function garbageCollector({ context, client, owners }: ControllerParts): Controller {
  const read = (name: string): { readonly storage: string; readonly object: ApiObject | undefined } => {
    const [storage = '', key = ''] = name.split(' ')
    return { storage, object: context.store.collection(storage).get(key) }
  }
  // Owners whose deletion waits for dependents, by uid.
  const ownersWaiting = new Map<string, string>()
  const finish = (storage: string, object: ApiObject, finalizer: string): void => {
    const finalizers = (object.metadata.finalizers ?? []).filter((each) => each !== finalizer)
    client.update(
      storage,
      object,
      withMetadata(object, { finalizers: finalizers.length === 0 ? undefined : finalizers }),
    )
  }

  return {
    name: 'garbage-collector',
    interest(storage: string, { type, key, object }: Change) {
      const { uid = '', ownerReferences = [], finalizers = [], deletionTimestamp } = object.metadata
      const names: string[] = []
      if (type === 'DELETED') {
        for (const place of owners.dependentsOf(uid)) names.push(`${place.storage} ${place.key}`)
        for (const owner of ownerReferences) {
          const waiting = ownersWaiting.get(owner.uid)
          if (waiting !== undefined) names.push(waiting)
        }
        ownersWaiting.delete(uid)
        return names
      }
      if (type === 'ADDED' && ownerReferences.length > 0) names.push(`${storage} ${key}`)
      const isHeld = finalizers.includes('foregroundDeletion') || finalizers.includes('orphan')
      if (deletionTimestamp !== undefined && isHeld) {
        ownersWaiting.set(uid, `${storage} ${key}`)
        names.push(`${storage} ${key}`)
      }
      return names
    },
    reconcile(name) {
      const { storage, object } = read(name)
      if (object === undefined) return
      const { uid = '', finalizers = [], ownerReferences = [], deletionTimestamp } = object.metadata
      if (deletionTimestamp === undefined) {
        if (ownerReferences.length > 0 && !ownerReferences.some((owner) => owners.exists(owner.uid))) {
          client.remove(storage, object, { propagationPolicy: 'Background' })
          return
        }
        const gone = ownerReferences.filter((owner) => !owners.exists(owner.uid))
        if (gone.length > 0) releaseAll(storage, object, new Set(gone.map((owner) => owner.uid)))
        return
      }
      const dependents = owners
        .dependentsOf(uid)
        .map((place) => ({ ...place, ...read(`${place.storage} ${place.key}`) }))
      if (finalizers.includes('orphan')) {
        for (const each of dependents) if (each.object !== undefined) release(each.storage, each.object, uid)
        finish(storage, object, 'orphan')
      } else if (finalizers.includes('foregroundDeletion')) {
        for (const each of dependents) {
          if (each.object !== undefined && each.object.metadata.deletionTimestamp === undefined) {
            client.remove(each.storage, each.object, { propagationPolicy: 'Foreground' })
          }
        }
        if (owners.dependentsOf(uid).length === 0) finish(storage, object, 'foregroundDeletion')
      }
    },
  }

  function release(storage: string, object: ApiObject, uid: string): void {
    releaseAll(storage, object, new Set([uid]))
  }

  function releaseAll(storage: string, object: ApiObject, uids: ReadonlySet<string>): void {
    const left = (object.metadata.ownerReferences ?? []).filter((owner) => !uids.has(owner.uid))
    client.update(storage, object, withMetadata(object, { ownerReferences: left.length === 0 ? undefined : left }))
  }
}
