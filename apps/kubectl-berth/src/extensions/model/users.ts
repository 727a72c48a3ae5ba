import type { FactName } from '../../facts/facts.ts'
import type { Extension } from './extension.ts'
import type { SurveyContext } from './survey.ts'

/**
 * Returns the users of an extension, sorted, and whether it is used.
 *
 * @param sources - Facts in which the users were looked for. If one is incomplete, an empty list proves nothing.
 */
export function usersOf(
  users: Iterable<string>,
  { unread }: SurveyContext,
  ...sources: readonly FactName[]
): Pick<Extension, 'use' | 'usedBy'> {
  const usedBy = [...new Set(users)].toSorted()
  if (usedBy.length > 0) return { use: 'used', usedBy }
  return { use: sources.some((source) => unread.has(source)) ? 'unknown' : 'unused', usedBy }
}
