import type { Json } from './json.ts'
import { images, nodeLabelValues, taintKeys } from './random-node.ts'
import { container, labelRequirement, podLabels, resourceList } from './shared-values.ts'
import type { Choices } from './random.ts'

/** Returns pod-level resources. They use 1536Mi instead of 1.5Gi for the reason in docs/adr/0002-oracle.md. */
function podLevelResources(choices: Choices): Json {
  return {
    ...choices.maybe(0.7, 'cpu', () => choices.pick(['100m', '1', '3'])),
    ...choices.maybe(0.7, 'memory', () => choices.pick(['128Mi', '1536Mi', '4Gi'])),
    ...choices.maybe(0.05, 'hugepages-2Mi', () => '2Mi'),
  }
}

function containerStatuses(choices: Choices, containers: readonly Json[]): Json[] {
  return containers.map(({ name }) => ({
    name,
    ...choices.maybe(0.7, 'resources', () => ({ requests: resourceList(choices) })),
    ...choices.maybe(0.7, 'allocatedResources', () => resourceList(choices)),
  }))
}

/** Returns the condition of a resize that is infeasible, deferred or in progress. */
function resizeCondition(choices: Choices): Json {
  return choices.chance(0.3)
    ? { type: 'PodResizeInProgress', status: 'True' }
    : { type: 'PodResizePending', status: 'True', reason: choices.pick(['Infeasible', 'Deferred']) }
}

/** Returns a random pod, which is bound when `nodeName` is given. */
export function randomPod(choices: Choices, name: string, nodeName?: string): Json {
  const labels = podLabels(choices)
  const withImage = (made: Json): Json => ({ ...made, ...choices.maybe(0.4, 'image', () => choices.pick(images)) })
  const containers = choices.list(1, 2, (index) => withImage(container(choices, `c${index}`)))
  const initContainers = choices.chance(0.2)
    ? choices.list(1, 2, (index) => ({
        ...withImage(container(choices, `i${index}`)),
        ...choices.maybe(0.4, 'restartPolicy', () => 'Always'),
      }))
    : []
  return {
    metadata: { name, namespace: choices.pick(['default', 'default', 'other']), uid: name, labels },
    spec: {
      ...(nodeName !== undefined && { nodeName }),
      containers,
      ...(initContainers.length > 0 && { initContainers }),
      ...choices.maybe(0.1, 'overhead', () =>
        choices.chance(0.5) ? { cpu: '10m', memory: '16Mi' } : resourceList(choices),
      ),
      ...choices.maybe(0.1, 'resources', () => ({
        requests: podLevelResources(choices),
        ...choices.maybe(0.3, 'limits', () => podLevelResources(choices)),
      })),
      ...choices.maybe(0.95, 'priority', () => choices.pick([0, 0, 5, 10, 100, -5])),
      ...choices.maybe(0.1, 'preemptionPolicy', () => choices.pick(['Never', 'PreemptLowerPriority'])),
      ...choices.maybe(0.1, 'hostNetwork', () => true),
      ...choices.maybe(0.3, 'hostUsers', () => choices.chance(0.2)),
    },
    status: {
      ...choices.maybe(0.12, 'phase', () => choices.pick(['Succeeded', 'Failed', 'Running'])),
      startTime: `2026-01-01T00:0${choices.integer(0, 9)}:00Z`,
      ...choices.maybe(0.1, 'containerStatuses', () => containerStatuses(choices, containers)),
      ...choices.maybe(0.05, 'initContainerStatuses', () => containerStatuses(choices, initContainers)),
      ...choices.maybe(0.05, 'conditions', () => [resizeCondition(choices)]),
      ...choices.maybe(0.05, 'resources', () => ({ requests: podLevelResources(choices) })),
      ...choices.maybe(0.05, 'allocatedResources', () => podLevelResources(choices)),
    },
  }
}

function toleration(choices: Choices): Json {
  return {
    ...choices.maybe(0.85, 'key', () => choices.pick(taintKeys)),
    operator: choices.chance(0.06)
      ? choices.pick(['Gt', 'Lt', 'Near', ''])
      : choices.pick(['Equal', 'Exists', 'Exists']),
    ...choices.maybe(0.4, 'value', () => choices.pick(['a', 'b', '5', '3'])),
    ...choices.maybe(0.6, 'effect', () => choices.pick(['NoSchedule', 'PreferNoSchedule', 'NoExecute'])),
    ...choices.maybe(0.1, 'tolerationSeconds', () => 60),
  }
}

/** Returns the values of a Gt or Lt requirement; a few are not valid. */
function comparisonValues(choices: Choices): readonly string[] {
  return choices.chance(0.05)
    ? choices.pick([['x'], ['1', '2'], [], ['9223372036854775808']])
    : [choices.pick(['1', '4', '12', '-5'])]
}

function nodeRequirement(choices: Choices): Json {
  if (choices.chance(0.01)) return { key: 'disk', operator: choices.pick(['Near', 'In']) }
  return choices.chance(0.15)
    ? { key: 'size', operator: choices.pick(['Gt', 'Lt']), values: comparisonValues(choices) }
    : labelRequirement(choices, nodeLabelValues)
}

function nodeTerm(choices: Choices): Json {
  return {
    ...choices.maybe(0.9, 'matchExpressions', () => choices.list(0, 2, () => nodeRequirement(choices))),
    ...choices.maybe(0.12, 'matchFields', () => [
      {
        key: choices.chance(0.97) ? 'metadata.name' : 'metadata.uid',
        operator: choices.pick(['In', 'In', 'NotIn']),
        values: choices.list(
          choices.chance(0.95) ? 1 : 0,
          choices.chance(0.95) ? 1 : 2,
          () => `n${choices.integer(0, 5)}`,
        ),
      },
    ]),
  }
}

/** Returns required and preferred terms. An empty list of required terms matches nothing. */
export function nodeAffinity(choices: Choices): Json {
  return {
    ...choices.maybe(0.5, 'requiredDuringSchedulingIgnoredDuringExecution', () => ({
      nodeSelectorTerms: choices.list(choices.chance(0.97) ? 1 : 0, 2, () => nodeTerm(choices)),
    })),
    ...choices.maybe(0.6, 'preferredDuringSchedulingIgnoredDuringExecution', () =>
      choices.list(1, 3, () => ({ weight: choices.integer(0, 100), preference: nodeTerm(choices) })),
    ),
  }
}

function nodeSelector(choices: Choices): Json {
  return {
    ...choices.maybe(0.8, 'disk', () => choices.pick(['ssd', 'hdd', ''])),
    ...choices.maybe(0.2, 'topology.kubernetes.io/zone', () => choices.pick(['z1', 'z2'])),
    ...choices.maybe(0.05, 'absent', () => ''),
  }
}

/** Returns the pod to schedule. */
export function candidatePod(choices: Choices): Json {
  const made = randomPod(choices, 'p')
  const spec = made['spec'] as Json
  return {
    ...made,
    status: {},
    spec: {
      ...spec,
      ...choices.maybe(0.3, 'tolerations', () => choices.list(1, 3, () => toleration(choices))),
      ...choices.maybe(0.1, 'nodeSelector', () => nodeSelector(choices)),
      ...choices.maybe(0.25, 'affinity', () => ({ nodeAffinity: nodeAffinity(choices) })),
      ...choices.maybe(0.03, 'nodeName', () => `n${choices.integer(0, 5)}`),
    },
  }
}
