import { distance } from 'fastest-levenshtein'

/** The name within two edits of `text` that is closest to it; undefined when there is none. */
export function nearestName(text: string, names: readonly string[]): string | undefined {
  return names
    .map((name) => ({ name, edits: distance(text, name) }))
    .filter(({ name, edits }) => edits <= Math.max(2, Math.floor(name.length / 3)))
    .toSorted((a, b) => a.edits - b.edits)[0]?.name
}
