import { container, resourceList } from './parts.ts'
import type { Choices } from './random.ts'

type Json = Record<string, unknown>

function statusOf(choices: Choices, containers: readonly Json[]): readonly Json[] {
  return containers.map(({ name, resources }) => ({
    name,
    ...choices.maybe(0.5, 'resources', () => (choices.chance(0.5) ? resources : { requests: resourceList(choices) })),
    ...choices.maybe(0.5, 'allocatedResources', () => resourceList(choices)),
  }))
}

/** One question of kind `podrequest`: a pod with init containers, sidecars, overhead, pod-level resources and resizes. */
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
        ...choices.maybe(0.8, 'containerStatuses', () => statusOf(choices, containers)),
        ...choices.maybe(0.4, 'initContainerStatuses', () => statusOf(choices, initContainers)),
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
  return 'resources' in question.pod.spec && 'overhead' in question.pod.spec ? withoutDecimals(question) : question
}

/**
 * The real code adds the overhead into a pod-level amount that it keeps as a decimal, in place and at each call, so that
 * its answer tells how often it was asked (docs/adr/0002-oracle.md). 1536Mi is the same amount, kept as an integer.
 */
function withoutDecimals(question: unknown): unknown {
  return JSON.parse(JSON.stringify(question).replaceAll('"1.5Gi"', '"1536Mi"'))
}
