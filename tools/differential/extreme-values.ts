import type { Json } from './json.ts'
import type { Choices } from './random.ts'

/** Amounts that wrap, are negative, or are rounded to integers. */
const amounts = [
  '-1',
  '-2500m',
  '0.5',
  '1500m',
  '1e3',
  '3e-1',
  '1n',
  '0.0001',
  '01',
  '1Ki',
  '9E',
  '10E',
  '8Ei',
  '1e19',
  '4611686018427387904',
  '9223372036854775808',
  '-9223372036854775808',
  '18446744073709551616',
] as const
const priorities = [2000001000, -2147483648, 2147483647] as const
const startTimes = [
  '2026-01-01T00:03:00+02:00',
  '2026-01-01T00:03:00.5Z',
  '2026-01-01T00:03:00.4Z',
  '2025-12-31T23:59:59-11:30',
] as const
const imageSizes = [0, -5, 24_117_247, 24_117_248, 1_048_576_000, 2e12] as const
const imageVolumes = ['registry.example/tool', 'registry.example/web:v1', 'absent'] as const
const MANY_TOLERATIONS = 20
const MANY_PORTS = 18
const MANY_NAMES = 34

type Change = (choices: Choices, value: unknown, path: readonly string[]) => unknown

function manyAmounts(choices: Choices, modulus: number): Json {
  return Object.fromEntries(
    Array.from({ length: MANY_NAMES }, (_, i) => [`many.example/r${i}`, `${choices.integer(1, 3) % modulus}`]),
  )
}

/** Pod-level amounts stay unchanged: docs/adr/0002-oracle.md describes upstream's answer that Berth does not follow. */
const isPodLevel = (path: readonly string[]): boolean =>
  path.at(-2) === 'resources' && ['spec', 'status'].includes(path.at(-3) ?? '')

const extremeList: Change = (choices, list, path) => {
  if (isPodLevel(path) || (path.at(-1) === 'allocatedResources' && path.at(-2) === 'status')) return list
  const entries = Object.entries(list as Json)
  return Object.fromEntries(
    entries.map(([name, amount]) => [
      name,
      typeof amount === 'string' && choices.chance(0.25) ? choices.pick(amounts) : amount,
    ]),
  )
}

const extremeAllocatable: Change = (choices, list, path) => ({
  ...(extremeList(choices, list, path) as Json),
  ...(path.at(-2) === 'status' && choices.chance(0.3) && manyAmounts(choices, 4)),
})

const moreTolerations: Change = (choices, list) => [
  ...(list as Json[]),
  ...Array.from({ length: MANY_TOLERATIONS }, (_, i) => ({
    key: choices.pick([`k${i}`, 'gpu', 'dedicated']),
    operator: choices.pick(['Exists', 'Equal', '']),
    ...choices.maybe(0.5, 'value', () => choices.pick(['a', '5'])),
    ...choices.maybe(0.5, 'effect', () => choices.pick(['NoSchedule', 'PreferNoSchedule', 'NoExecute'])),
  })),
]

const morePorts: Change = (choices, list) => [
  ...(list as Json[]),
  ...Array.from({ length: MANY_PORTS }, (_, i) => ({
    containerPort: i + 1,
    hostPort: 9000 + i * 5,
    protocol: choices.pick(['TCP', 'UDP']),
    ...choices.maybe(0.4, 'hostIP', () => choices.pick(['', '0.0.0.0', '10.0.0.1', '::'])),
  })),
]

const imageVolume: Change = (choices, list) => [
  ...(list as Json[]),
  { name: 'extreme', image: { reference: choices.pick(imageVolumes) } },
]

const extremeSpec: Change = (choices, spec) => {
  const { containers, volumes, ...rest } = spec as { readonly containers?: readonly Json[]; readonly volumes?: Json[] }
  const [first, ...others] = containers ?? []
  const many = { name: 'many', resources: { requests: manyAmounts(choices, 2) } }
  return {
    ...rest,
    containers: first !== undefined && choices.chance(0.3) ? [first, many, ...others] : (containers ?? []),
    volumes: choices.chance(0.5) ? imageVolume(choices, volumes ?? [], []) : (volumes ?? []),
  }
}

/** By field name: the probability of a change, and the change. */
const changesByField: ReadonlyMap<string, readonly [chance: number, change: Change]> = new Map<
  string,
  [number, Change]
>([
  ['requests', [0.3, extremeList]],
  ['overhead', [0.3, extremeList]],
  ['allocatedResources', [0.3, extremeList]],
  ['allocatable', [0.4, extremeAllocatable]],
  ['priority', [0.2, (choices) => choices.pick(priorities)]],
  ['startTime', [0.3, (choices) => choices.pick(startTimes)]],
  ['sizeBytes', [0.4, (choices) => choices.pick(imageSizes)]],
  ['disruptionsAllowed', [0.3, (choices) => choices.pick([-3, 100])]],
  ['tolerations', [0.4, moreTolerations]],
  ['ports', [0.3, morePorts]],
  ['spec', [0.2, extremeSpec]],
])

function applyChanges(choices: Choices, value: unknown, path: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((entry) => applyChanges(choices, entry, path))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => {
      const inner = applyChanges(choices, child, [...path, name])
      const [chance, change] = changesByField.get(name) ?? [0, undefined]
      const isPodSpec = name !== 'spec' || (typeof child === 'object' && child !== null && 'containers' in child)
      return [
        name,
        change !== undefined && isPodSpec && choices.chance(chance) ? change(choices, inner, [...path, name]) : inner,
      ]
    }),
  )
}

/** Replaces values in some questions by values at the limits of the API and beyond. */
export function withExtremes(choices: Choices, question: unknown): unknown {
  return choices.chance(0.15) ? applyChanges(choices, question, []) : question
}
