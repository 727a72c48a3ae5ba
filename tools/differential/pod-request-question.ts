import type { Json } from './json.ts'
import { container, resourceList } from './shared-values.ts'
import type { Choices } from './random.ts'

function containerStatuses(choices: Choices, containers: readonly Json[]): readonly Json[] {
  return containers.map(({ name, resources }) => ({
    name,
    ...choices.maybe(0.5, 'resources', () => (choices.chance(0.5) ? resources : { requests: resourceList(choices) })),
    ...choices.maybe(0.5, 'allocatedResources', () => resourceList(choices)),
  }))
}

/** Generates a question of kind `podrequest`: init containers, sidecars, overhead, pod-level resources and resizes. */
export function podRequestQuestion(choices: Choices): unknown {
  const containers = choices.list(0, 3, (index) => container(choices, `c${index}`))
  const initContainers = choices.list(0, 3, (index) => ({
    ...container(choices, `i${index}`),
    ...choices.maybe(0.45, 'restartPolicy', () => 'Always'),
  }))
  const podLevel = (): Json => {
    const { cpu, memory } = resourceList(choices)
    return {
      ...(cpu !== undefined && { cpu }),
      ...(memory !== undefined && { memory }),
      ...choices.maybe(0.1, 'hugepages-2Mi', () => choices.pick(['2Mi', '64Mi'])),
    }
  }
  const question = {
    pod: {
      metadata: { name: 'p', namespace: 'default', uid: 'p' },
      spec: {
        containers,
        ...(initContainers.length > 0 && { initContainers }),
        ...choices.maybe(0.2, 'overhead', () => resourceList(choices)),
        ...choices.maybe(0.25, 'resources', () => ({
          ...choices.maybe(0.8, 'requests', podLevel),
          ...choices.maybe(0.4, 'limits', podLevel),
        })),
        ...choices.maybe(0.15, 'hostNetwork', () => true),
      },
      ...choices.maybe(0.35, 'status', () => ({
        ...choices.maybe(0.8, 'containerStatuses', () => containerStatuses(choices, containers)),
        ...choices.maybe(0.4, 'initContainerStatuses', () => containerStatuses(choices, initContainers)),
        ...choices.maybe(0.2, 'conditions', () => [
          {
            type: choices.pick(['PodResizePending', 'PodResizeInProgress']),
            status: 'True',
            reason: choices.pick(['Infeasible', 'Deferred']),
          },
        ]),
        ...choices.maybe(0.2, 'resources', () => ({ requests: podLevel() })),
        ...choices.maybe(0.2, 'allocatedResources', podLevel),
      })),
    },
    ...choices.maybe(0.3, 'applyDefaults', () => true),
  }
  return 'resources' in question.pod.spec && 'overhead' in question.pod.spec
    ? withoutDecimalAmounts(question)
    : question
}

/**
 * Replaces 1.5Gi by 1536Mi, the same amount in integer form. The real code adds the overhead in place to a pod-level
 * amount in decimal form, so that its result would grow with every call (docs/adr/0002-oracle.md).
 */
function withoutDecimalAmounts(question: unknown): unknown {
  return JSON.parse(JSON.stringify(question).replaceAll('"1.5Gi"', '"1536Mi"'))
}
