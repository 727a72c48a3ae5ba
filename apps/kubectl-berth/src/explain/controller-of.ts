import type { OwnerReference } from '@berth/types'

/** Returns the owner that controls an object; undefined when none does. */
export function controllerOf(owners: readonly OwnerReference[] | undefined): OwnerReference | undefined {
  return owners?.find(({ controller }) => controller === true)
}
