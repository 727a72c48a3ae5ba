import type { ClusterState } from '@berth/fit-engine'

/**
 * Returns a number that grows with every change of the state and of its objects. While an attempt waits, a volume may be
 * taken, which changes only the objects.
 */
export function stateVersion({ generation, objects }: ClusterState): number {
  return generation + objects.generation
}
