import { distance } from 'fastest-levenshtein'

/**
 * Finds the name that `text` was probably meant to be, for "did you mean …?". Ignores case.
 *
 * @returns The name with the fewest edits, the first among equals. Undefined when every name needs more edits than a third
 *   of the length of `text` (at least two), or as many edits as the name has characters.
 */
export function nearestName(text: string, names: Iterable<string>): string | undefined {
  const limit = Math.max(2, Math.floor(text.length / 3))
  let nearest: string | undefined
  let nearestDistance = limit + 1
  for (const name of names) {
    const edits = distance(text.toLowerCase(), name.toLowerCase())
    // With so many edits, every name of this length would be near, also one without a character of the text.
    if (edits < nearestDistance && edits < name.length) {
      nearest = name
      nearestDistance = edits
    }
  }
  return nearest
}
