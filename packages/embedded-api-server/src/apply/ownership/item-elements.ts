import { own } from '../../schema/json/json-object.ts'
import type { Cursor } from '../../schema/cursor.ts'

/**
 * The path elements of the items of a list whose items have owners of their own, in order; undefined for a list that
 * is owned as a whole.
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

/** The items of such a list by path element. */
export function itemsByElement(list: readonly unknown[], elements: readonly string[]): ReadonlyMap<string, unknown> {
  return new Map(elements.map((element, i) => [element, list[i]]))
}
