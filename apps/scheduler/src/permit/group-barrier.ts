import type { Pod } from '@berth/types'
import type { PermitDecision } from './waiting-pods.ts'

/** The wait of the members of one pod group, between permit and preBind, until enough of them may be bound. */
export interface GroupBarrier {
  /**
   * Waits until at least minCount members are bound or have arrived. The pod is in the registry of waiting pods
   * meanwhile, so that it can be preempted, and its deletion ends the wait.
   */
  arrive(pod: Pod, nodeName: string): Promise<PermitDecision>
  /** Removes a member that will not be bound. If too few remain, all that the barrier has not let through are rejected. */
  leave(pod: Pod): void
}
