/**
 * Returns the index of a random element of a list of this length; -1 for an empty list.
 *
 * @param random - Returns a number in [0, 1); 1 counts as the largest.
 */
export function drawIndex(length: number, random: () => number): number {
  return Math.min(length - 1, Math.floor(random() * length))
}
