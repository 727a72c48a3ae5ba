import type { Choices } from './random.ts'

// Names and amounts for questions of every kind. They are few, so that pods and nodes have them in common.
export const extendedNames = ['example.com/dongle', 'example.com/seat', 'vendor.io/fpga', 'other.org/nic'] as const

/** Amounts that a double cannot hold exactly. */
export const hugeAmounts = ['9007199254740993', '4611686018427387904', '9223372036854775807'] as const

/** Native resource names that the scheduler accounts like extended resources. */
export const nativeScalars = ['attachable-volumes-disk', 'special.kubernetes.io/thing'] as const

/** Returns mostly realistic requests of a container. */
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

/** Returns a container with requests and, often, limits. */
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

/** Returns pod labels with few keys and few values. */
export function podLabels(choices: Choices): Record<string, string> {
  return {
    ...choices.maybe(0.8, 'app', () => choices.pick(apps)),
    ...choices.maybe(0.4, 'tier', () => choices.pick(['front', 'back'])),
  }
}

/** Returns a label requirement with an operator that both node selectors and label selectors support. */
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

/** Returns a selector for the labels of {@link podLabels}. */
export function podLabelSelector(choices: Choices): Record<string, unknown> {
  return {
    ...choices.maybe(0.7, 'matchLabels', () => podLabels(choices)),
    ...choices.maybe(0.3, 'matchExpressions', () =>
      choices.list(1, 2, () => labelRequirement(choices, { app: apps, tier: ['front', 'back'] })),
    ),
  }
}
