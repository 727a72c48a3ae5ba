import { isScalarResourceName } from '@berth/resources'
import type { ClusterObjectsReader, DeviceClass } from '@berth/types'

/** Every DeviceClass can be asked for by this prefix and its name. */
const IMPLICIT_PREFIX = 'deviceclass.resource.kubernetes.io/'

/**
 * The name of the DeviceClass that backs a resource name; undefined when none does. Of several that claim the same
 * name the newest counts, of equally old ones the first by name.
 *
 * @see kubernetes/dynamic-resource-allocation deviceclass/extendedresourcecache (v1.36)
 */
export function deviceClassFor(resourceName: string, objects: ClusterObjectsReader): string | undefined {
  const classes = objects.list('deviceClasses')
  if (classes.length === 0 || !isScalarResourceName(resourceName)) return undefined
  if (resourceName.startsWith(IMPLICIT_PREFIX)) {
    const className = resourceName.slice(IMPLICIT_PREFIX.length)
    return objects.get('deviceClasses', className) === undefined ? undefined : className
  }
  let best: DeviceClass | undefined
  for (const each of classes) {
    if (each.spec?.extendedResourceName === resourceName && (best === undefined || isBefore(each, best))) best = each
  }
  return best?.metadata.name
}

function isBefore(a: DeviceClass, b: DeviceClass): boolean {
  const [ageOfA, ageOfB] = [createdMs(a), createdMs(b)]
  return ageOfA === ageOfB ? (a.metadata.name ?? '') < (b.metadata.name ?? '') : ageOfA > ageOfB
}

function createdMs({ metadata }: DeviceClass): number {
  const time = Date.parse(metadata.creationTimestamp ?? '')
  return Number.isNaN(time) ? 0 : time
}
