import type { CheckFunction } from '../cluster/test-cluster.ts'

/** An app of Berth that a check can require. */
export type Component = 'advertiser' | 'devicePlugin' | 'extender' | 'scheduler'

/** A check of one app. It must fail where the app is not installed, otherwise it proves nothing about the app. */
export interface Check {
  /** A sentence about the checked behaviour. */
  readonly name: string
  readonly component: Component
  /** Part of the error message when the component is not installed. */
  readonly failureText: string
  readonly run: CheckFunction
}
