import { byCodeUnit } from '../../schema/json/json-object.ts'

/**
 * A set of field paths in the form of `FieldsV1`: keys are path elements (`f:name`, `k:{"name":"x"}`, `v:"x"`). A node
 * without content is a member; a node with content is a member when it has the element `.`.
 */
export interface FieldSet {
  readonly [element: string]: FieldSet
}

/** The set of nothing; as a node: a member without children. */
export const LEAF: FieldSet = Object.freeze({})

/** Whether no path is in the set. */
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

/** A node; undefined when it would hold nothing. */
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

/** Paths of either set. */
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

/** Paths of `a` that are not in `b`. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmptySet(b)) return a
  return combineElements(Object.keys(a), (element) => {
    const left = a[element] ?? LEAF
    const right = b[element]
    if (right === undefined) return left
    return createNode(isMember(left) && !isMember(right), difference(childrenOf(left), childrenOf(right)))
  })
}

/** Paths of both sets. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  return combineElements(Object.keys(a), (element) => {
    const left = a[element] ?? LEAF
    const right = b[element]
    if (right === undefined) return undefined
    return createNode(isMember(left) && isMember(right), intersection(childrenOf(left), childrenOf(right)))
  })
}

/** The members as people read them: `.spec.containers[name="x"].image`. */
export function pathsOf(set: FieldSet, prefix = ''): readonly string[] {
  const elements = Object.keys(set)
    .filter((element) => element !== '.')
    .toSorted(byCodeUnit)
  const nodeOf = (element: string): FieldSet => set[element] ?? LEAF
  // As upstream walks them: what is owned as a whole before what lies below.
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
