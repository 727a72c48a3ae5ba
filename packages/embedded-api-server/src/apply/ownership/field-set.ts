import { byCodeUnit } from '../../schema/json/json-object.ts'

/**
 * A set of field paths in the format of `FieldsV1`: keys are path elements (`f:name`, `k:{"name":"x"}`, `v:"x"`). A node
 * without children is a member. A node with children is a member only when it has the element `.`.
 */
export interface FieldSet {
  readonly [element: string]: FieldSet
}

/** A node without children, which makes its path a member. As a whole set: the empty set. */
export const LEAF: FieldSet = Object.freeze({})

/** Returns whether the set has no paths. */
export function isEmptySet(set: FieldSet): boolean {
  return Object.keys(set).length === 0
}

function isMember(node: FieldSet): boolean {
  return isEmptySet(node) || node['.'] !== undefined
}

function childrenOf(node: FieldSet): FieldSet {
  if (node['.'] === undefined) return node
  const { '.': _, ...children } = node
  return children
}

/** Returns a node; undefined when neither the node nor a path below it is a member. */
function createNode(isMember: boolean, children: FieldSet): FieldSet | undefined {
  if (isEmptySet(children)) return isMember ? LEAF : undefined
  return isMember ? { '.': LEAF, ...children } : children
}

function combineElements(elements: readonly string[], combine: (element: string) => FieldSet | undefined): FieldSet {
  const result: Record<string, FieldSet> = {}
  for (const element of elements) {
    const node = combine(element)
    if (node !== undefined) result[element] = node
  }
  return result
}

/** Returns the paths in either set. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmptySet(a)) return b
  if (isEmptySet(b)) return a
  return combineElements([...new Set([...Object.keys(a), ...Object.keys(b)])], (element) => {
    const left = a[element]
    const right = b[element]
    if (left === undefined || right === undefined || left === right) return left ?? right
    return createNode(isMember(left) || isMember(right), union(childrenOf(left), childrenOf(right)))
  })
}

/** Returns the paths of `a` that are not in `b`. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmptySet(b)) return a
  return combineElements(Object.keys(a), (element) => {
    const left = a[element] ?? LEAF
    const right = b[element]
    if (right === undefined) return left
    return createNode(isMember(left) && !isMember(right), difference(childrenOf(left), childrenOf(right)))
  })
}

/** Returns the paths in both sets. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  return combineElements(Object.keys(a), (element) => {
    const left = a[element] ?? LEAF
    const right = b[element]
    if (right === undefined) return undefined
    return createNode(isMember(left) && isMember(right), intersection(childrenOf(left), childrenOf(right)))
  })
}

/** Returns the members in the form of conflict messages: `.spec.containers[name="x"].image`. */
export function pathsOf(set: FieldSet, prefix = ''): readonly string[] {
  const elements = Object.keys(set)
    .filter((element) => element !== '.')
    .toSorted(byCodeUnit)
  const nodeOf = (element: string): FieldSet => set[element] ?? LEAF
  // Upstream's order: the members of a level before the paths below them.
  return [
    ...elements.filter((element) => isMember(nodeOf(element))).map((element) => prefix + formatElement(element)),
    ...elements.flatMap((element) => pathsOf(childrenOf(nodeOf(element)), prefix + formatElement(element))),
  ]
}

function formatElement(element: string): string {
  const rest = element.slice(2)
  if (element.startsWith('f:')) return `.${rest}`
  if (element.startsWith('v:')) return `[=${rest}]`
  const keys = Object.entries(JSON.parse(rest) as Record<string, unknown>)
  return `[${keys.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(',')}]`
}
