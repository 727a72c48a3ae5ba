import type { ResourceList } from '@berth/types'

/** Creates a resource list without a prototype, so that an untrusted name such as `__proto__` is an ordinary key. */
export function resourceList(entries: Iterable<readonly [name: string, amount: string | number]>): ResourceList {
  const list: Record<string, string | number> = Object.create(null)
  for (const [name, amount] of entries) list[name] = amount
  return list
}
