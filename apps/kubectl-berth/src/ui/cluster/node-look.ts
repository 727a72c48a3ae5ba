import type { Node } from '@berth/types'

/**
 * Returns a text of the properties of a node that decide which pods it takes. Two versions with the same text differ in
 * heartbeats and the like.
 */
export function nodeLook({ spec, status }: Node): string {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.status
  const { capacity, allocatable } = status ?? {}
  return JSON.stringify([capacity, allocatable, spec?.taints, spec?.unschedulable, ready])
}
