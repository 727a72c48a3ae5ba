import type { Finding, Fix } from './check.ts'

/**
 * How far a fix was tried. `verified`: the API server accepted its changes in a dry run. `reads-only`: its commands change
 * nothing. `untried`: a person must edit, or this user may not make the change.
 */
export type FixState = 'verified' | 'reads-only' | 'untried'

/** A fix with the result of the trial. */
export interface VerifiedFix extends Pick<Fix, 'sentence' | 'commands' | 'safety'> {
  readonly state: FixState
  /** Why it was not tried, or what the API server said. Empty for a verified fix. */
  readonly reason: string
}

/** A finding whose fix was tried. */
export interface VerifiedFinding extends Omit<Finding, 'fix'> {
  readonly fix: VerifiedFix
}
