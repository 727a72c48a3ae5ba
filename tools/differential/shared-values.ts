import type { Choices } from './random.ts'

/** Names and amounts that questions of every kind are made of: few, so that they meet. */
export const extendedNames = ['example.com/dongle', 'example.com/seat', 'vendor.io/fpga', 'other.org/nic'] as const

/** Amounts that no double holds. */
export const hugeAmounts = ['9007199254740993', '4611686018427387904', '9223372036854775807'] as const

/** Names of Kubernetes itself that the scheduler counts like extended ones. */
export const nativeScalars = ['attachable-volumes-disk', 'special.kubernetes.io/thing'] as const

/** Requests of a container that mostly make sense. */
export function resourceList(choices: Choices): Record<string, string> {
  return {
    ...choices.maybe(0.6, 'cpu', () => choices.pick(['0', '1m', '100m', '250m', '500m', '1', '2', '0.3', '1500m'])),
    ...choices.maybe(0.6, 'memory', () =>
      choices.pick(['0', '64Mi', '128Mi', '200Mi', '1Gi', '1.5Gi', '1500M', '128974848000m']),
    ),
    ...choices.maybe(0.06, 'ephemeral-storage', () => choices.pick(['1Gi', '500Mi', '0'])),
    ...choices.maybe(0.03, 'hugepages-2Mi', () => choices.pick(['2Mi', '64Mi'])),
    ...choices.maybe(0.4, choices.pick(extendedNames), () => choices.pick(['0', '1', '1', '2', '3', '4'])),
    ...choices.maybe(0.1, choices.pick(extendedNames), () => choices.pick(['1', '2'])),
    ...choices.maybe(0.03, choices.pick(nativeScalars), () => choices.pick(['0', '1', '2'])),
    ...choices.maybe(0.01, choices.pick(extendedNames), () => choices.pick(hugeAmounts)),
  }
}

/** A container with requests and, often, limits. */
export function container(choices: Choices, name: string): Record<string, unknown> {
  const requests = resourceList(choices)
  return {
    name,
    resources: {
      ...choices.maybe(0.9, 'requests', () => requests),
      ...choices.maybe(0.3, 'limits', () => ({ ...requests, ...resourceList(choices) })),
    },
    ...choices.maybe(0.05, 'restartPolicyRules', () => [
      { action: choices.pick(['RestartAllContainers', 'RestartAllContainers', 'Restart']) },
    ]),
    ...choices.maybe(0.15, 'ports', () =>
      choices.list(1, 2, () => ({
        containerPort: 80,
        ...choices.maybe(0.8, 'hostPort', () => choices.pick([80, 8080, 9090])),
        ...choices.maybe(0.5, 'protocol', () => choices.pick(['TCP', 'UDP', 'SCTP', ''])),
        ...choices.maybe(0.3, 'hostIP', () => choices.pick(['127.0.0.1', '0.0.0.0', '', '10.0.0.1', '::1', '::'])),
      })),
    ),
  }
}

export const zones = ['z1', 'z2', 'z3'] as const
export const apps = ['web', 'db', 'batch'] as const

/** Labels of a pod: few keys, few values. */
export function podLabels(choices: Choices): Record<string, string> {
  return {
    ...choices.maybe(0.8, 'app', () => choices.pick(apps)),
    ...choices.maybe(0.4, 'tier', () => choices.pick(['front', 'back'])),
  }
}

/** A requirement on labels, with every operator that both selectors know. */
export function labelRequirement(
  choices: Choices,
  keys: Readonly<Record<string, readonly string[]>>,
): Record<string, unknown> {
  const key = choices.pick(Object.keys(keys))
  const operator = choices.pick(['In', 'NotIn', 'Exists', 'DoesNotExist'])
  const values = keys[key] ?? []
  if (operator === 'Exists' || operator === 'DoesNotExist') return { key, operator }
  return { key, operator, values: choices.list(1, 2, () => choices.pick(values)) }
}

/** A selector of pods by the labels of {@link podLabels}. */
export function podSelector(choices: Choices): Record<string, unknown> {
  return {
    ...choices.maybe(0.7, 'matchLabels', () => podLabels(choices)),
    ...choices.maybe(0.3, 'matchExpressions', () =>
      choices.list(1, 2, () => labelRequirement(choices, { app: apps, tier: ['front', 'back'] })),
    ),
  }
}
