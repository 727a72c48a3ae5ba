import { equalJson, isObject, own } from '../../schema/json/json-object.ts'

type Step = (values: readonly unknown[]) => readonly unknown[]

/** A compiled JSON path: returns the values that it selects in an object. */
export type JsonPath = (object: unknown) => readonly unknown[]

/**
 * Compiles a JSON path of a printer column or selectable field: `.a.b`, `.a['b.c']`, `.a\.b`, `[0]`, `[-1:]`, `[*]` and
 * filters `[?(@.type=="Ready")]`. Returns undefined for every other text, including recursive descent (`..`).
 *
 * @see k8s.io/client-go util/jsonpath (v0.36)
 */
export function parseJsonPath(text: string): JsonPath | undefined {
  const steps: Step[] = []
  let rest = text
  while (rest !== '') {
    const found = nextStep(rest)
    if (found === undefined) return undefined
    steps.push(found.step)
    rest = rest.slice(found.length)
  }
  return (object) => steps.reduce<readonly unknown[]>((values, step) => step(values), [object])
}

function nextStep(text: string): { readonly step: Step; readonly length: number } | undefined {
  const field = /^\.((?:\\.|[^.[\]\\])+)/.exec(text)
  if (field !== null) return { step: fieldStep((field[1] ?? '').replaceAll(/\\(.)/g, '$1')), length: field[0].length }
  const quoted = /^\.?\[(?:'([^']*)'|"([^"]*)")\]/.exec(text)
  if (quoted !== null) return { step: fieldStep(quoted[1] ?? quoted[2] ?? ''), length: quoted[0].length }
  const range = /^\.?\[(\*|-?\d*:-?\d*|-?\d+)\]/.exec(text)
  if (range !== null) return { step: rangeStep(range[1] ?? ''), length: range[0].length }
  const filter = /^\.?\[\?\(\s*@((?:\.[\w-]+)+)\s*(==|!=)\s*(?:'([^']*)'|"([^"]*)"|(true|false|-?\d+))\s*\)\]/.exec(
    text,
  )
  if (filter === null) return undefined
  const [whole, path = '', operator, single, double, literal] = filter
  const wanted: unknown = single ?? double ?? JSON.parse(literal ?? 'null')
  return {
    step: filterStep(path.split('.').slice(1), (value) => equalJson(value, wanted) === (operator === '==')),
    length: whole.length,
  }
}

function fieldStep(key: string): Step {
  return (values) =>
    values.flatMap((value) => {
      if (key === '*') return isObject(value) ? Object.values(value) : []
      const inner = own(value, key)
      return inner === undefined ? [] : [inner]
    })
}

function rangeStep(range: string): Step {
  return (values) =>
    values.flatMap((value) => {
      if (!Array.isArray(value)) return range === '*' && isObject(value) ? Object.values(value) : []
      if (range === '*') return value
      const [from = '', to] = range.split(':')
      const at = (text: string): number | undefined => (text === '' ? undefined : Number(text))
      if (to !== undefined) return value.slice(at(from), at(to))
      const item: unknown = value.at(Number(from))
      return item === undefined ? [] : [item]
    })
}

function filterStep(path: readonly string[], isWanted: (value: unknown) => boolean): Step {
  const read = (item: unknown): unknown => path.reduce(own, item)
  return (values) =>
    values.flatMap((value) => (Array.isArray(value) ? value.filter((item: unknown) => isWanted(read(item))) : []))
}
