import { equalJson, isObject, own } from '../../schema/json/json-object.ts'

type Step = (values: readonly unknown[]) => readonly unknown[]

/** Finds values in an object. */
export type JsonPath = (object: unknown) => readonly unknown[]

/**
 * Reads the JSON paths that columns and fields of custom resources are named by: `.a.b`, `.a['b.c']`, `.a\.b`, `[0]`,
 * `[-1:]`, `[*]`, `..` not, and filters `[?(@.type=="Ready")]`. Undefined: it is no such path.
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
  if (field !== null) return { step: under((field[1] ?? '').replaceAll(/\\(.)/g, '$1')), length: field[0].length }
  const quoted = /^\.?\[(?:'([^']*)'|"([^"]*)")\]/.exec(text)
  if (quoted !== null) return { step: under(quoted[1] ?? quoted[2] ?? ''), length: quoted[0].length }
  const range = /^\.?\[(\*|-?\d*:-?\d*|-?\d+)\]/.exec(text)
  if (range !== null) return { step: within(range[1] ?? ''), length: range[0].length }
  const filter = /^\.?\[\?\(\s*@((?:\.[\w-]+)+)\s*(==|!=)\s*(?:'([^']*)'|"([^"]*)"|(true|false|-?\d+))\s*\)\]/.exec(
    text,
  )
  if (filter === null) return undefined
  const [whole, path = '', operator, single, double, literal] = filter
  const wanted: unknown = single ?? double ?? JSON.parse(literal ?? 'null')
  return {
    step: where(path.split('.').slice(1), (value) => equalJson(value, wanted) === (operator === '==')),
    length: whole.length,
  }
}

function under(key: string): Step {
  return (values) =>
    values.flatMap((value) => {
      if (key === '*') return isObject(value) ? Object.values(value) : []
      const inner = own(value, key)
      return inner === undefined ? [] : [inner]
    })
}

function within(range: string): Step {
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

function where(path: readonly string[], isWanted: (value: unknown) => boolean): Step {
  const read = (item: unknown): unknown => path.reduce(own, item)
  return (values) =>
    values.flatMap((value) => (Array.isArray(value) ? value.filter((item: unknown) => isWanted(read(item))) : []))
}
