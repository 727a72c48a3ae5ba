import { distance } from 'fastest-levenshtein'

/**
 * Finds what somebody probably meant.
 *
 * @returns The name closest to `text`; undefined when none is within a third of its length (at least two edits).
 */
export function nearestName(text: string, names: Iterable<string>): string | undefined {
  const limit = Math.max(2, Math.floor(text.length / 3))
  let nearest: string | undefined
  let nearestDistance = limit + 1
  for (const name of names) {
    const edits = distance(text.toLowerCase(), name.toLowerCase())
    if (edits < nearestDistance && edits < name.length) {
      nearest = name
      nearestDistance = edits
    }
  }
  return nearest
}
