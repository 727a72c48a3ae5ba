import { fitQuestion } from './cluster-question.ts'
import type { Json } from './json.ts'
import { extendedNames, hugeAmounts } from './shared-values.ts'
import type { Choices } from './random.ts'

const classNames = ['k0', 'k1', 'k2', 'gpu.example.com'] as const
const implicitResourceName = (name: string): string => `deviceclass.resource.kubernetes.io/${name}`

/** Returns a DeviceClass. Several may claim one resource name: the newest gets it, or the first by name of equally old ones. */
function deviceClass(choices: Choices, name: string): Json {
  return {
    metadata: {
      name,
      ...choices.maybe(0.7, 'creationTimestamp', () => `2026-01-0${choices.integer(1, 3)}T00:00:00Z`),
    },
    spec: choices.maybe(0.85, 'extendedResourceName', () => choices.pick(extendedNames.slice(0, 2))),
  }
}

function withClassRequest(choices: Choices, container: Json): Json {
  const resources = (container['resources'] ?? {}) as Json
  const requests = {
    ...(resources['requests'] as Json),
    [implicitResourceName(choices.pick(classNames))]: choices.pick(['0', '1']),
  }
  return { ...container, resources: { ...resources, requests } }
}

function withClassAllocatable(choices: Choices, node: Json): Json {
  const status = node['status'] as Json
  const allocatable = { ...(status['allocatable'] as Json), [implicitResourceName(choices.pick(classNames))]: '2' }
  return choices.chance(0.1) ? { ...node, status: { ...status, allocatable } } : node
}

/** Replaces huge amounts: the real allocator fails on billions of devices, or treats them as none. */
function withoutHugeAmounts(question: Json): Json {
  const text = hugeAmounts.reduce((all, amount) => all.replaceAll(`"${amount}"`, '"3"'), JSON.stringify(question))
  return JSON.parse(text) as Json
}

/** Generates a question of kind `delegation`. It has no overhead, because the real code allocates nothing for it. */
export function delegationQuestion(choices: Choices): Json {
  const { nodes, pods, pod } = withoutHugeAmounts(fitQuestion(choices))
  const { overhead: _overhead, ...spec } = (pod as Json)['spec'] as Json
  const [first, ...others] = spec['containers'] as Json[]
  const isByClass = first !== undefined && choices.chance(0.5)
  const shuffled = classNames.map((name) => ({ name, key: choices.number() })).sort((a, b) => a.key - b.key)
  return {
    nodes: (nodes as Json[]).map((node) => withClassAllocatable(choices, node)),
    pods,
    pod: {
      ...(pod as Json),
      spec: { ...spec, containers: isByClass ? [withClassRequest(choices, first), ...others] : spec['containers'] },
    },
    deviceClasses: shuffled.slice(choices.integer(0, 3)).map(({ name }) => deviceClass(choices, name)),
    ...choices.maybe(0.3, 'args', () => ({
      scoringStrategy: {
        type: choices.pick(['LeastAllocated', 'MostAllocated']),
        resources: [...extendedNames, implicitResourceName('k0')].map((name) => ({
          name,
          weight: choices.integer(1, 9),
        })),
      },
    })),
  }
}
