import type { Scenario } from '../cluster/test-cluster.ts'

/** The parts of Berth that a play can need. */
export type Component = 'advertiser' | 'devicePlugin' | 'extender' | 'scheduler'

/** A promise of one part of Berth. Without that part it must not hold, or it says nothing about it. */
export interface BerthPlay {
  /** A sentence. */
  readonly name: string
  readonly component: Component
  /** What the play waits for in vain where the component is not there: a piece of its complaint. */
  readonly missing: string
  readonly run: Scenario
}
