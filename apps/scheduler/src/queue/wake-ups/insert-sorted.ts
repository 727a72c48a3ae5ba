/**
 * Inserts the item into the sorted list, after the items that compare equal. An item that comes last costs one comparison.
 *
 * @param compare - Negative when `a` comes before `b`.
 */
export function insertSorted<T>(items: T[], item: T, compare: (a: T, b: T) => number): void {
  let low = 0
  let high = items.length
  const last = items.at(-1)
  if (last !== undefined && compare(last, item) <= 0) low = high
  while (low < high) {
    const middle = (low + high) >>> 1
    const other = items[middle]
    if (other !== undefined && compare(other, item) <= 0) low = middle + 1
    else high = middle
  }
  items.splice(low, 0, item)
}
