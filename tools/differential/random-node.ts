import type { Json } from './json.ts'
import { extendedNames, hugeAmounts, nativeScalars, zones } from './shared-values.ts'
import type { Choices } from './random.ts'

/** Keys of taints and tolerations, including that of cordoned nodes. */
export const taintKeys = [
  'dedicated',
  'gpu',
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/unschedulable',
] as const

/** Node labels and their values; not every `size` is an int64. */
export const nodeLabelValues = {
  disk: ['ssd', 'hdd'],
  size: ['1', '5', '12', '-3', 'x', '9223372036854775808'],
  'topology.kubernetes.io/zone': zones,
} as const

/** Images of nodes and containers: with a tag, without one, and by digest. */
export const images = [
  'registry.example/web:v1',
  'registry.example/db:v1',
  'registry.example/tool:v1',
  'registry.example/tool',
  'registry.example/tool:latest',
  'web@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
] as const

/** The declared features of kubelets. Some lists are not sorted, where the real scheduler's search misses a name. */
const declaredFeatureLists: readonly (readonly string[])[] = [
  ['RestartAllContainersOnContainerExits'],
  ['RestartAllContainersOnContainerExits', 'UserNamespacesHostNetworkSupport'],
  ['ExtendWebSocketsToKubelet', 'Nobody', 'UserNamespacesHostNetworkSupport', 'Zebra'],
  ['UserNamespacesHostNetworkSupport', 'RestartAllContainersOnContainerExits'],
  ['RestartAllContainersOnContainerExits', 'RestartAllContainersOnContainerExits', 'Zebra'],
  ['InPlacePodVerticalScalingInitContainers'],
  [],
]

function randomTaint(choices: Choices): Json {
  return {
    key: choices.pick(taintKeys),
    ...choices.maybe(0.7, 'value', () => choices.pick(['a', 'b', '5'])),
    ...choices.maybe(0.97, 'effect', () => choices.pick(['NoSchedule', 'PreferNoSchedule', 'NoExecute'])),
  }
}

function randomAllocatable(choices: Choices): Json {
  return {
    ...choices.maybe(0.97, 'cpu', () => choices.pick(['1', '2', '4', '8', '16', '3900m', '0.5'])),
    ...choices.maybe(0.97, 'memory', () => choices.pick(['1Gi', '4Gi', '8Gi', '16Gi', '7970336Ki'])),
    ...choices.maybe(0.98, 'pods', () => choices.pick(['1', '3', '5', '110', '110'])),
    ...choices.maybe(0.3, 'ephemeral-storage', () => choices.pick(['1Gi', '10Gi'])),
    ...choices.maybe(0.1, 'hugepages-2Mi', () => '64Mi'),
    ...choices.maybe(0.03, 'storage', () => '1Gi'),
    ...Object.assign(
      {},
      ...extendedNames.map((name) => choices.maybe(0.65, name, () => choices.pick(['0', '1', '2', '4', '8']))),
    ),
    ...choices.maybe(0.2, choices.pick(nativeScalars), () => choices.pick(['0', '1', '4'])),
    ...choices.maybe(0.02, choices.pick(extendedNames), () => choices.pick(hugeAmounts)),
  }
}

/** Returns a random node with the name `n<index>`. */
export function randomNode(choices: Choices, index: number): Json {
  const name = `n${index}`
  return {
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        ...choices.maybe(0.8, 'topology.kubernetes.io/zone', () => choices.pick(zones)),
        ...choices.maybe(0.2, 'topology.kubernetes.io/region', () => choices.pick(['r1', 'r2'])),
        ...choices.maybe(0.05, 'failure-domain.beta.kubernetes.io/zone', () => choices.pick(zones)),
        ...choices.maybe(0.5, 'disk', () => choices.pick(nodeLabelValues.disk)),
        ...choices.maybe(0.4, 'size', () => choices.pick(nodeLabelValues.size)),
      },
    },
    spec: {
      ...choices.maybe(0.07, 'unschedulable', () => true),
      ...choices.maybe(0.2, 'taints', () => choices.list(1, 2, () => randomTaint(choices))),
    },
    status: {
      ...choices.maybe(0.99, 'allocatable', () => randomAllocatable(choices)),
      ...choices.maybe(0.3, 'declaredFeatures', () => choices.pick(declaredFeatureLists)),
      ...choices.maybe(0.3, 'images', () =>
        choices.list(1, 3, () => ({
          names: choices.list(1, 2, () => choices.pick(images)),
          sizeBytes: choices.integer(1, choices.pick([900, 3000])) * 1024 * 1024,
        })),
      ),
    },
  }
}
