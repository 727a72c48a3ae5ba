import type { Json } from './json.ts'
import { extendedNames, nativeScalars } from './shared-values.ts'
import type { Choices } from './random.ts'

const scoredResourceNames = [
  'cpu',
  'memory',
  'cpu',
  'memory',
  ...extendedNames,
  'ephemeral-storage',
  'pods',
  'hugepages-2Mi',
]

function shape(choices: Choices): readonly Json[] {
  const score = (): number => choices.integer(0, choices.chance(0.99) ? 10 : 11)
  const point = (utilization: number): Json => ({ utilization, score: score() })
  const roll = choices.number()
  if (roll < 0.1) return [point(choices.integer(0, 100))]
  if (roll < 0.25) return [point(0), point(100)]
  // These are refused: not increasing, beyond 100, or empty.
  if (roll < 0.28) return choices.pick([[point(50), point(50)], [point(60), point(20)], [point(0), point(101)], []])
  const low = choices.integer(0, 40)
  return [point(low), point(choices.integer(low + 1, 80)), point(choices.integer(81, 100))]
}

function scoringStrategy(choices: Choices): Json {
  const resources = choices.list(0, 4, () => ({
    name: choices.pick([...scoredResourceNames, choices.pick(nativeScalars)]),
    ...choices.maybe(0.95, 'weight', () =>
      choices.chance(0.99) ? choices.integer(1, 100) : choices.pick([-1, 0, 101]),
    ),
  }))
  const isSound = choices.chance(0.97)
  const distinct = resources.filter(({ name }, index) => resources.findIndex((other) => other.name === name) === index)
  const type = choices.pick(['LeastAllocated', 'MostAllocated', 'RequestedToCapacityRatio'])
  const hasShape = (type === 'RequestedToCapacityRatio') === isSound
  return {
    ...choices.maybe(0.97, 'type', () => type),
    ...choices.maybe(0.9, 'resources', () => (choices.chance(0.97) ? distinct : resources)),
    ...(hasShape && { requestedToCapacityRatio: { shape: shape(choices) } }),
  }
}

/** Returns the ignored resources and resource groups of NodeResourcesFit; a few names are not valid. */
export function ignoredResources(choices: Choices): Json {
  return {
    ...choices.maybe(0.4, 'ignoredResources', () =>
      choices.list(1, 2, () => (choices.chance(0.99) ? choices.pick([...extendedNames, 'hugepages-2Mi']) : 'a b')),
    ),
    ...choices.maybe(0.4, 'ignoredResourceGroups', () =>
      choices.list(1, 2, () =>
        choices.chance(0.99) ? choices.pick(['example.com', 'vendor.io', 'other.org', 'com']) : 'a/b',
      ),
    ),
  }
}

/** Returns arguments of NodeResourcesFit. */
export function fitArgs(choices: Choices): Json {
  return {
    ...(choices.chance(0.5) && ignoredResources(choices)),
    ...choices.maybe(0.75, 'scoringStrategy', () => scoringStrategy(choices)),
  }
}

/** Returns arguments of NodeResourcesBalancedAllocation; a few have a wrong weight or a repeated name. */
export function balancedArgs(choices: Choices): Json {
  return {
    resources: choices.list(0, 4, () => ({
      name: choices.pick(scoredResourceNames),
      ...choices.maybe(0.95, 'weight', () => (choices.chance(0.97) ? 1 : 2)),
    })),
  }
}
