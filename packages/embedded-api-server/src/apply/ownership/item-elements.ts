import { own } from '../../schema/json/json-object.ts'
import type { Cursor } from '../../schema/cursor.ts'

/**
 * Returns the path elements of a list's items, in order; undefined for an atomic list, which has one owner as a whole.
 */
export function itemElements(list: readonly unknown[], cursor: Cursor): readonly string[] | undefined {
  const rule = cursor.field?.list
  if (rule === undefined || rule.kind === 'atomic') return undefined
  return list.map((item) => (rule.kind === 'set' ? `v:${JSON.stringify(item)}` : elementOfKeys(item, rule.keys)))
}

function elementOfKeys(item: unknown, keys: readonly string[]): string {
  const pairs = keys.toSorted().flatMap((key) => {
    const value = own(item, key) ?? (key === 'protocol' ? 'TCP' : undefined)
    return value === undefined ? [] : [[key, value] as const]
  })
  return `k:${JSON.stringify(Object.fromEntries(pairs))}`
}

/** Returns the items of a list by their path elements. */
export function itemsByElement(list: readonly unknown[], elements: readonly string[]): ReadonlyMap<string, unknown> {
  return new Map(elements.map((element, i) => [element, list[i]]))
}
