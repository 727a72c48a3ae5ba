import { isScalarResourceName } from '@berth/resources'
import type { ClusterObjectsReader, DeviceClass } from '@berth/types'

/** Pods can request every DeviceClass by this prefix and its name. */
const IMPLICIT_PREFIX = 'deviceclass.resource.kubernetes.io/'

/**
 * Returns the name of the DeviceClass that backs a resource name; undefined when there is none. Of several classes with
 * the same extendedResourceName the newest counts, of equally old ones the first by name. As upstream, a class that was
 * added while a better one already had its extendedResourceName cannot be requested at all, not even by its own name.
 *
 * @see kubernetes/dynamic-resource-allocation deviceclass/extendedresourcecache (v1.36)
 */
export function deviceClassFor(resourceName: string, objects: ClusterObjectsReader): string | undefined {
  const classes = objects.list('deviceClasses')
  if (classes.length === 0 || !isScalarResourceName(resourceName)) return undefined
  if (resourceName.startsWith(IMPLICIT_PREFIX)) {
    const named = objects.get('deviceClasses', resourceName.slice(IMPLICIT_PREFIX.length))
    return named === undefined || wasAddedTooLate(named, classes) ? undefined : named.metadata.name
  }
  let best: DeviceClass | undefined
  for (const each of classes) {
    if (each.spec?.extendedResourceName === resourceName && (best === undefined || isBefore(each, best))) best = each
  }
  return best?.metadata.name
}

/** Returns whether the class was added after a better class with the same `extendedResourceName`. */
function wasAddedTooLate(named: DeviceClass, classes: readonly DeviceClass[]): boolean {
  const resourceName = named.spec?.extendedResourceName
  if (resourceName === undefined || resourceName === null) return false
  for (const each of classes) {
    if (each === named) return false
    if (each.spec?.extendedResourceName === resourceName && isBefore(each, named)) return true
  }
  return false
}

function isBefore(a: DeviceClass, b: DeviceClass): boolean {
  const [ageOfA, ageOfB] = [createdMs(a), createdMs(b)]
  return ageOfA === ageOfB ? (a.metadata.name ?? '') < (b.metadata.name ?? '') : ageOfA > ageOfB
}

function createdMs({ metadata }: DeviceClass): number {
  const time = Date.parse(metadata.creationTimestamp ?? '')
  return Number.isNaN(time) ? Number.NEGATIVE_INFINITY : time
}
