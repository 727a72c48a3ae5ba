import type { FactName, Facts } from '../../facts/facts.ts'
import type { Extension } from './extension.ts'

/** Circumstances of a survey. */
export interface SurveyContext {
  readonly nowMs: number
  /** Facts that could not be read completely. */
  readonly unread: ReadonlySet<FactName>
}

/** Finds the extensions of one kind. */
export interface Survey {
  /** Word on the command line: `csi`. */
  readonly kind: string
  readonly title: string
  readonly needs: readonly FactName[]
  /** Returns the extensions, sorted by name. Empty: none found. */
  find(facts: Facts, context: SurveyContext): readonly Extension[]
}

/** Defines a survey that sees no other facts than it needs. */
export function survey<Needed extends FactName>(
  definition: Pick<Survey, 'kind' | 'title'> & {
    readonly needs: readonly Needed[]
    find(facts: Pick<Facts, Needed>, context: SurveyContext): readonly Extension[]
  },
): Survey {
  return {
    ...definition,
    find: (facts, context) =>
      definition.find(facts, context).toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)),
  }
}
