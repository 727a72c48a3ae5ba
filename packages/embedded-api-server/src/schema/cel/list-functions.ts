import type { Environment } from '@marcbachmann/cel-js'
import { CelValueError } from '@berth/cel'

type List = readonly unknown[]

/** Registers Kubernetes' functions on lists: `isSorted`, `sum`, `min`, `max`, `indexOf`, `lastIndexOf`. */
export function registerListFunctions(environment: Environment): void {
  environment
    .registerFunction('list<A>.isSorted(): bool', (list: List) =>
      list.every((item, i) => i === 0 || !isLess(item, list[i - 1])),
    )
    .registerFunction('list<A>.sum(): A', sum)
    .registerFunction('list<A>.min(): A', (list: List) => extremum('min', list, (item, least) => isLess(item, least)))
    .registerFunction('list<A>.max(): A', (list: List) => extremum('max', list, (item, most) => isLess(most, item)))
    .registerFunction('list<A>.indexOf(A): int', (list: List, item: unknown) => BigInt(list.indexOf(item)))
    .registerFunction('list<A>.lastIndexOf(A): int', (list: List, item: unknown) => BigInt(list.lastIndexOf(item)))
}

function isLess(a: unknown, b: unknown): boolean {
  return (a as number) < (b as number)
}

function sum(list: List): unknown {
  return list.some((item) => typeof item === 'number')
    ? list.reduce<number>((total, item) => total + Number(item), 0)
    : list.reduce<bigint>((total, item) => total + (item as bigint), 0n)
}

function extremum(name: string, list: List, isBetter: (item: unknown, than: unknown) => boolean): unknown {
  if (list.length === 0) throw new CelValueError(`${name} called on empty list`)
  return list.reduce((best, item) => (isBetter(item, best) ? item : best))
}
