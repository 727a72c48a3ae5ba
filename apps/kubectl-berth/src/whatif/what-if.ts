import type { ClusterSnapshot } from '@berth/cluster-view'
import type { Clock, Random, Workload } from '@berth/types'
import type { Profiles } from '../profile/load-profiles.ts'
import type { Changes } from './changes.ts'
import type { EvictionBudget } from './eviction-budgets.ts'

/** The question about a cluster. */
export interface WhatIf {
  readonly snapshot: Pick<ClusterSnapshot, 'state' | 'nodes' | 'pods' | 'forbidden' | 'fallbackNamespace'>
  readonly changes: Changes
  /** Namespace of the pods whose requests change. */
  readonly namespace: string
  /** Needed to drain nodes. */
  readonly budgets: readonly EvictionBudget[]
  /** Needed to change the requests of Deployments. Undefined where this user may not list them. */
  readonly replicaSets: readonly Workload[] | undefined
  readonly profiles: Profiles
  readonly clock: Clock
  readonly random: Random
}
