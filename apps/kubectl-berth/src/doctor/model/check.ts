import type { ResourceRef } from '@berth/k8s-client'
import type { FactName, Facts } from '../../facts/facts.ts'
import type { SurveyContext } from '../../extensions/model/survey.ts'

/** A change that the API server can try without storing it. */
export interface TrialPatch {
  readonly resource: ResourceRef
  readonly target: { readonly name: string; readonly namespace?: string }
  readonly type: 'json' | 'merge'
  readonly subresource?: string
  readonly body: unknown
}

/** The change that removes a finding. */
export interface Fix {
  readonly sentence: string
  /** For a POSIX shell, every word quoted. Empty when a person must decide or edit. */
  readonly commands: readonly string[]
  /** The reason why the commands are safe to run, or their cost. */
  readonly safety: string
  /** The changes of the commands. Empty: the commands only read. */
  readonly trials: readonly TrialPatch[]
}

/** One thing that is wrong. A `warning` is not wrong yet, or does not stop anything. */
export interface Finding {
  readonly severity: 'problem' | 'warning'
  /** Names the fault and the object that has it. */
  readonly sentence: string
  /** The facts that show it, each with its object. */
  readonly evidence: readonly string[]
  readonly fix: Fix
}

/** Result of a check before its fixes are tried. */
export interface Diagnosis {
  /** Sentences about what was examined; empty when the cluster has nothing of the kind. */
  readonly examined: readonly string[]
  readonly findings: readonly Finding[]
}

/** Looks for one kind of fault. */
export interface Check {
  /** Word on the command line: `stale-resources`. */
  readonly id: string
  readonly title: string
  readonly needs: readonly FactName[]
  run(facts: Facts, context: SurveyContext): Diagnosis
}

/** Defines a check that sees no other facts than it needs. */
export function check<Needed extends FactName>(
  definition: Pick<Check, 'id' | 'title'> & {
    readonly needs: readonly Needed[]
    run(facts: Pick<Facts, Needed>, context: SurveyContext): Diagnosis
  },
): Check {
  return definition
}
