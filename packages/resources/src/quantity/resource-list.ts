import type { ResourceList } from '@berth/types'

/** Makes a resource list out of names that clients chose: without a prototype, so that any name is just a name. */
export function resourceList(entries: Iterable<readonly [name: string, amount: string | number]>): ResourceList {
  const list: Record<string, string | number> = Object.create(null)
  for (const [name, amount] of entries) list[name] = amount
  return list
}
