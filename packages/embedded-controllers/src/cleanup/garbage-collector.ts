import { type ApiObject, type Change, withMetadata } from '@berth/embedded-api-server'
import type { Controller, ControllerDependencies } from '../loop/controller.ts'

/**
 * Deletes objects without existing owners, and completes deletions that wait for dependents (`foregroundDeletion`) or
 * keep them (`orphan`).
 */
export function garbageCollector({ context, writer, owners }: ControllerDependencies): Controller {
  const lookUp = (name: string): { readonly storage: string; readonly object: ApiObject | undefined } => {
    const [storage = '', key = ''] = name.split(' ')
    return { storage, object: context.store.collection(storage).get(key) }
  }
  // Owners whose deletion waits for their dependents, by uid.
  const deletingOwners = new Map<string, string>()
  const removeFinalizer = (storage: string, object: ApiObject, finalizer: string): void => {
    const finalizers = (object.metadata.finalizers ?? []).filter((each) => each !== finalizer)
    writer.update(
      storage,
      object,
      withMetadata(object, { finalizers: finalizers.length === 0 ? undefined : finalizers }),
    )
  }

  return {
    name: 'garbage-collector',
    keysFor(storage: string, { type, key, object }: Change) {
      const { uid = '', ownerReferences = [], finalizers = [], deletionTimestamp } = object.metadata
      const names: string[] = []
      if (type === 'DELETED') {
        for (const place of owners.dependentsOf(uid)) names.push(`${place.storage} ${place.key}`)
        for (const owner of ownerReferences) {
          const waiting = deletingOwners.get(owner.uid)
          if (waiting !== undefined) names.push(waiting)
        }
        deletingOwners.delete(uid)
        return names
      }
      if (type === 'ADDED' && ownerReferences.length > 0) names.push(`${storage} ${key}`)
      const isHeld = finalizers.includes('foregroundDeletion') || finalizers.includes('orphan')
      if (deletionTimestamp !== undefined && isHeld) {
        deletingOwners.set(uid, `${storage} ${key}`)
        names.push(`${storage} ${key}`)
      }
      return names
    },
    reconcile(name) {
      const { storage, object } = lookUp(name)
      if (object === undefined) return
      const { uid = '', finalizers = [], ownerReferences = [], deletionTimestamp } = object.metadata
      if (deletionTimestamp === undefined) {
        if (ownerReferences.length > 0 && !ownerReferences.some((owner) => owners.exists(owner.uid))) {
          writer.remove(storage, object, { propagationPolicy: 'Background' })
          return
        }
        const gone = ownerReferences.filter((owner) => !owners.exists(owner.uid))
        if (gone.length > 0) removeOwners(storage, object, new Set(gone.map((owner) => owner.uid)))
        return
      }
      const dependents = owners
        .dependentsOf(uid)
        .map((place) => ({ ...place, ...lookUp(`${place.storage} ${place.key}`) }))
      if (finalizers.includes('orphan')) {
        for (const each of dependents) if (each.object !== undefined) removeOwner(each.storage, each.object, uid)
        removeFinalizer(storage, object, 'orphan')
      } else if (finalizers.includes('foregroundDeletion')) {
        for (const each of dependents) {
          if (each.object !== undefined && each.object.metadata.deletionTimestamp === undefined) {
            writer.remove(each.storage, each.object, { propagationPolicy: 'Foreground' })
          }
        }
        if (owners.dependentsOf(uid).length === 0) removeFinalizer(storage, object, 'foregroundDeletion')
      }
    },
  }

  function removeOwner(storage: string, object: ApiObject, uid: string): void {
    removeOwners(storage, object, new Set([uid]))
  }

  function removeOwners(storage: string, object: ApiObject, uids: ReadonlySet<string>): void {
    const remaining = (object.metadata.ownerReferences ?? []).filter((owner) => !uids.has(owner.uid))
    writer.update(
      storage,
      object,
      withMetadata(object, { ownerReferences: remaining.length === 0 ? undefined : remaining }),
    )
  }
}
