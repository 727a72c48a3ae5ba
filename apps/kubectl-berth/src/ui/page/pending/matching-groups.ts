import type { PendingGroup } from '../../model/pending-model.ts'

/** Returns the groups whose cause or one of whose pods contains a text. */
export function matchingGroups(groups: readonly PendingGroup[], search: string): readonly PendingGroup[] {
  const wanted = search.trim().toLowerCase()
  return groups.filter(({ cause, pods }) => [cause, ...pods].some((text) => text.toLowerCase().includes(wanted)))
}
