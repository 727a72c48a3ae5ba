import type { CheckFunction } from '../cluster/test-cluster.ts'

/** An app of Berth that a check can require. */
export type Component = 'advertiser' | 'devicePlugin' | 'extender' | 'scheduler'

/**
 * A check of one app. Scenarios also run it where the app is not installed and expect it to fail: a check that passes without
 * the app proves nothing about it.
 */
export interface Check {
  /** A sentence about the checked behaviour. */
  readonly name: string
  readonly component: Component
  /** Text that the error contains when the check fails because the component is not installed. */
  readonly failureText: string
  readonly run: CheckFunction
}
