import { type KnownFacts, missingOf } from '../facts/facts.ts'
import type { Extension } from './model/extension.ts'
import type { Survey } from './model/survey.ts'

/** The extensions of one kind. */
export interface SurveyResult {
  readonly kind: string
  readonly title: string
  /** Sorted by name; empty when none was found. */
  readonly extensions: readonly Extension[]
  /** Sentences about facts that could not be read, so that extensions, users or health may be missing. */
  readonly missing: readonly string[]
}

/** Finds the extensions of each kind in what is known about the cluster. */
export function surveyCluster(
  surveys: readonly Survey[],
  { facts, nowMs, unread }: KnownFacts,
): readonly SurveyResult[] {
  const context = { nowMs, unread: new Set(unread.map(({ fact }) => fact)) }
  return surveys.map((survey) => ({
    kind: survey.kind,
    title: survey.title,
    extensions: survey.find(facts, context),
    missing: missingOf(survey.needs, unread),
  }))
}
