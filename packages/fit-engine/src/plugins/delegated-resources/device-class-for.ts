import { isScalarResourceName } from '@berth/resources'
import type { ClusterObjectsReader, DeviceClass } from '@berth/types'

/** Every DeviceClass can be asked for by this prefix and its name. */
const IMPLICIT_PREFIX = 'deviceclass.resource.kubernetes.io/'

/**
 * The name of the DeviceClass that backs a resource name; undefined when none does. Of several that claim the same
 * name the newest counts, of equally old ones the first by name. A class that comes when a better one has its name
 * cannot be asked for at all, as upstream, where it is not even known by its own name then.
 *
 * @see kubernetes/dynamic-resource-allocation deviceclass/extendedresourcecache (v1.36)
 */
export function deviceClassFor(resourceName: string, objects: ClusterObjectsReader): string | undefined {
  const classes = objects.list('deviceClasses')
  if (classes.length === 0 || !isScalarResourceName(resourceName)) return undefined
  if (resourceName.startsWith(IMPLICIT_PREFIX)) {
    const named = objects.get('deviceClasses', resourceName.slice(IMPLICIT_PREFIX.length))
    return named === undefined || cameTooLate(named, classes) ? undefined : named.metadata.name
  }
  let best: DeviceClass | undefined
  for (const each of classes) {
    if (each.spec?.extendedResourceName === resourceName && (best === undefined || isBefore(each, best))) best = each
  }
  return best?.metadata.name
}

/** Whether the class lost its `extendedResourceName` to one that was there already. */
function cameTooLate(named: DeviceClass, classes: readonly DeviceClass[]): boolean {
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
