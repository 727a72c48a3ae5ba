import type { ContainerStatus, Pod } from '@berth/types'

/** Statuses of containers and init containers by container name; of equal names the last counts. Undefined: none. */
export function containerStatuses({ status }: Pod): ReadonlyMap<string, ContainerStatus> | undefined {
  if (status?.containerStatuses === undefined && status?.initContainerStatuses === undefined) return undefined
  const byName = new Map<string, ContainerStatus>()
  for (const one of status.containerStatuses ?? []) byName.set(one.name, one)
  for (const one of status.initContainerStatuses ?? []) byName.set(one.name, one)
  return byName
}
