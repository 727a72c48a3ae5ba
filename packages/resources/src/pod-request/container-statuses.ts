import type { ContainerStatus, Pod } from '@berth/types'

/**
 * Returns the statuses of the containers and init containers by name, or undefined when the pod has none. Of two
 * statuses with the same name, the last one counts.
 */
export function containerStatuses({ status }: Pod): ReadonlyMap<string, ContainerStatus> | undefined {
  if (status?.containerStatuses === undefined && status?.initContainerStatuses === undefined) return undefined
  const byName = new Map<string, ContainerStatus>()
  for (const each of status.containerStatuses ?? []) byName.set(each.name, each)
  for (const each of status.initContainerStatuses ?? []) byName.set(each.name, each)
  return byName
}
