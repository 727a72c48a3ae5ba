import type { Node, Pod } from '@berth/types'

/** Returns whether the condition Ready of a pod or a node is True. */
export function isReady({ status }: Pod | Node): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false
}
