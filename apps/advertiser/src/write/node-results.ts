import type { Setup } from '../config/setup.ts'
import type { NodePlan } from '../plan/node-plan.ts'

/** Receives what became of each node. */
export interface NodeResults {
  /** A node was reconciled with a setup. */
  reconciled(nodeName: string, setup: Setup, plan: NodePlan): void
  /** A node could not be reconciled with a setup; it is tried again. */
  failed(nodeName: string, setup: Setup, error: unknown): void
  deleted(nodeName: string): void
}
