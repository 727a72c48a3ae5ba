import { fitQuestion } from './cluster-question.ts'
import { extendedNames, hugeAmounts } from './parts.ts'
import type { Choices } from './random.ts'

type Json = Record<string, unknown>

const classNames = ['k0', 'k1', 'k2', 'gpu.example.com'] as const
const implicit = (name: string): string => `deviceclass.resource.kubernetes.io/${name}`

/** Several may claim one name: the newest has it, of equally old ones the first by name. */
function deviceClass(choices: Choices, name: string): Json {
  return {
    metadata: {
      name,
      ...choices.maybe(0.7, 'creationTimestamp', () => `2026-01-0${choices.integer(1, 3)}T00:00:00Z`),
    },
    spec: choices.maybe(0.85, 'extendedResourceName', () => choices.pick(extendedNames.slice(0, 2))),
  }
}

function askingByClass(choices: Choices, container: Json): Json {
  const resources = (container['resources'] ?? {}) as Json
  const requests = {
    ...(resources['requests'] as Json),
    [implicit(choices.pick(classNames))]: choices.pick(['0', '1']),
  }
  return { ...container, resources: { ...resources, requests } }
}

function offering(choices: Choices, node: Json): Json {
  const status = node['status'] as Json
  const allocatable = { ...(status['allocatable'] as Json), [implicit(choices.pick(classNames))]: '2' }
  return choices.chance(0.1) ? { ...node, status: { ...status, allocatable } } : node
}

/** Billions of devices are beyond the real allocator, which breaks or takes them for none. */
function withoutHuge(question: Json): Json {
  const text = hugeAmounts.reduce((all, amount) => all.replaceAll(`"${amount}"`, '"3"'), JSON.stringify(question))
  return JSON.parse(text) as Json
}

/** One question of kind `delegation`. What an overhead asks for the real code allocates for nobody: there is none. */
export function delegationQuestion(choices: Choices): Json {
  const { nodes, pods, pod } = withoutHuge(fitQuestion(choices))
  const { overhead: _overhead, ...spec } = (pod as Json)['spec'] as Json
  const [first, ...others] = spec['containers'] as Json[]
  const isByClass = first !== undefined && choices.chance(0.5)
  const shuffled = classNames.map((name) => ({ name, key: choices.number() })).sort((a, b) => a.key - b.key)
  return {
    nodes: (nodes as Json[]).map((node) => offering(choices, node)),
    pods,
    pod: {
      ...(pod as Json),
      spec: { ...spec, containers: isByClass ? [askingByClass(choices, first), ...others] : spec['containers'] },
    },
    deviceClasses: shuffled.slice(choices.integer(0, 3)).map(({ name }) => deviceClass(choices, name)),
    ...choices.maybe(0.3, 'args', () => ({
      scoringStrategy: {
        type: choices.pick(['LeastAllocated', 'MostAllocated']),
        resources: [...extendedNames, implicit('k0')].map((name) => ({ name, weight: choices.integer(1, 9) })),
      },
    })),
  }
}
