import type { ContainerStatus, Pod } from '@berth/types'

/** Statuses of containers and init containers by container name; of equal names the last counts. */
export function containerStatuses(pod: Pod): ReadonlyMap<string, ContainerStatus> {
  const byName = new Map<string, ContainerStatus>()
  for (const status of pod.status?.containerStatuses ?? []) byName.set(status.name, status)
  for (const status of pod.status?.initContainerStatuses ?? []) byName.set(status.name, status)
  return byName
}
