import {
  container,
  extendedNames,
  hugeAmounts,
  labelRequirement,
  nativeScalars,
  podLabels,
  podSelector,
  resourceList,
  zones,
} from './parts.ts'
import type { Choices } from './random.ts'

type Json = Record<string, unknown>

const taintKeys = ['dedicated', 'gpu', 'node.kubernetes.io/not-ready'] as const
const nodeLabelValues = { disk: ['ssd', 'hdd'], size: ['1', '5', '12'], 'topology.kubernetes.io/zone': zones }

/** A node called `n<index>`. */
export function node(choices: Choices, index: number): Json {
  const allocatable = {
    cpu: choices.pick(['1', '2', '4', '8', '16']),
    memory: choices.pick(['1Gi', '4Gi', '8Gi', '16Gi']),
    pods: choices.pick(['1', '3', '5', '110', '110']),
    ...choices.maybe(0.3, 'ephemeral-storage', () => choices.pick(['1Gi', '10Gi'])),
    ...choices.maybe(0.1, 'hugepages-2Mi', () => '64Mi'),
    ...Object.assign(
      {},
      ...extendedNames.map((name) => choices.maybe(0.65, name, () => choices.pick(['0', '1', '2', '4', '8']))),
    ),
    ...choices.maybe(0.2, choices.pick(nativeScalars), () => choices.pick(['0', '1', '4'])),
    ...choices.maybe(0.02, choices.pick(extendedNames), () => choices.pick(hugeAmounts)),
  }
  const name = `n${index}`
  return {
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        ...choices.maybe(0.8, 'topology.kubernetes.io/zone', () => choices.pick(zones)),
        ...choices.maybe(0.5, 'disk', () => choices.pick(nodeLabelValues.disk)),
        ...choices.maybe(0.4, 'size', () => choices.pick(nodeLabelValues.size)),
      },
    },
    spec: {
      ...choices.maybe(0.07, 'unschedulable', () => true),
      ...choices.maybe(0.2, 'taints', () => choices.list(1, 2, () => taint(choices))),
    },
    status: {
      allocatable,
      ...choices.maybe(0.3, 'images', () =>
        choices.list(1, 3, () => ({
          names: [`registry.example/${choices.pick(['web', 'db', 'tool'])}:v1`],
          sizeBytes: choices.integer(1, 900) * 1024 * 1024,
        })),
      ),
    },
  }
}

function taint(choices: Choices): Json {
  return {
    key: choices.pick(taintKeys),
    ...choices.maybe(0.7, 'value', () => choices.pick(['a', 'b'])),
    effect: choices.pick(['NoSchedule', 'PreferNoSchedule', 'NoExecute']),
  }
}

function toleration(choices: Choices): Json {
  return {
    ...choices.maybe(0.85, 'key', () => choices.pick(taintKeys)),
    operator: choices.chance(0.06)
      ? choices.pick(['Gt', 'Lt', 'Near', ''])
      : choices.pick(['Equal', 'Exists', 'Exists']),
    ...choices.maybe(0.4, 'value', () => choices.pick(['a', 'b'])),
    ...choices.maybe(0.6, 'effect', () => choices.pick(['NoSchedule', 'PreferNoSchedule', 'NoExecute'])),
  }
}

function nodeTerm(choices: Choices): Json {
  return {
    ...choices.maybe(0.9, 'matchExpressions', () =>
      choices.list(0, 2, () =>
        choices.chance(0.15)
          ? { key: 'size', operator: choices.pick(['Gt', 'Lt']), values: [choices.pick(['1', '4', '12'])] }
          : labelRequirement(choices, nodeLabelValues),
      ),
    ),
    ...choices.maybe(0.1, 'matchFields', () => [
      { key: 'metadata.name', operator: choices.pick(['In', 'NotIn']), values: [`n${choices.integer(0, 5)}`] },
    ]),
  }
}

function nodeAffinity(choices: Choices): Json {
  return {
    ...choices.maybe(0.5, 'requiredDuringSchedulingIgnoredDuringExecution', () => ({
      nodeSelectorTerms: choices.list(1, 2, () => nodeTerm(choices)),
    })),
    ...choices.maybe(0.6, 'preferredDuringSchedulingIgnoredDuringExecution', () =>
      choices.list(1, 3, () => ({ weight: choices.integer(1, 100), preference: nodeTerm(choices) })),
    ),
  }
}

/** A pod; bound when `nodeName` is given. */
export function pod(choices: Choices, name: string, nodeName?: string): Json {
  const labels = podLabels(choices)
  return {
    metadata: { name, namespace: choices.pick(['default', 'default', 'other']), uid: name, labels },
    spec: {
      ...(nodeName !== undefined && { nodeName }),
      containers: choices.list(1, 2, (index) => ({
        ...container(choices, `c${index}`),
        ...choices.maybe(0.4, 'image', () => `registry.example/${choices.pick(['web', 'db', 'tool'])}:v1`),
      })),
      ...choices.maybe(0.2, 'initContainers', () =>
        choices.list(1, 2, (index) => ({
          ...container(choices, `i${index}`),
          ...choices.maybe(0.4, 'restartPolicy', () => 'Always'),
        })),
      ),
      ...choices.maybe(0.1, 'overhead', () => ({ cpu: '10m', memory: '16Mi' })),
      ...choices.maybe(0.08, 'resources', () => ({ requests: podLevel(choices) })),
      priority: choices.pick([0, 0, 5, 10, 100]),
      ...choices.maybe(0.1, 'preemptionPolicy', () => choices.pick(['Never', 'PreemptLowerPriority'])),
    },
    status: {
      ...choices.maybe(0.12, 'phase', () => choices.pick(['Succeeded', 'Failed', 'Running'])),
      startTime: `2026-01-01T00:0${choices.integer(0, 9)}:00Z`,
      ...choices.maybe(0.08, 'containerStatuses', () => [
        {
          name: 'c0',
          ...choices.maybe(0.7, 'resources', () => ({ requests: resourceList(choices) })),
          ...choices.maybe(0.7, 'allocatedResources', () => resourceList(choices)),
        },
      ]),
    },
  }
}

/** What may be asked for by the pod as a whole; 1536Mi and not 1.5Gi, for the reason in docs/adr/0002-oracle.md. */
function podLevel(choices: Choices): Json {
  return {
    ...choices.maybe(0.7, 'cpu', () => choices.pick(['100m', '1', '3'])),
    ...choices.maybe(0.7, 'memory', () => choices.pick(['128Mi', '1536Mi', '4Gi'])),
  }
}

function candidate(choices: Choices): Json {
  const made = pod(choices, 'p')
  const spec = made['spec'] as Json
  return {
    ...made,
    status: {},
    spec: {
      ...spec,
      ...choices.maybe(0.3, 'tolerations', () => choices.list(1, 2, () => toleration(choices))),
      ...choices.maybe(0.1, 'nodeSelector', () => ({ disk: choices.pick(['ssd', 'hdd']) })),
      ...choices.maybe(0.25, 'affinity', () => ({ nodeAffinity: nodeAffinity(choices) })),
      ...choices.maybe(0.03, 'nodeName', () => `n${choices.integer(0, 5)}`),
    },
  }
}

function fitArgs(choices: Choices): Json {
  const resources = choices.list(1, 3, () => ({
    name: choices.pick(['cpu', 'memory', ...extendedNames]),
    weight: choices.integer(1, 5),
  }))
  const distinct = resources.filter(({ name }, index) => resources.findIndex((other) => other.name === name) === index)
  const type = choices.pick(['LeastAllocated', 'MostAllocated', 'RequestedToCapacityRatio'])
  return {
    ...choices.maybe(0.3, 'ignoredResources', () => [choices.pick(extendedNames)]),
    ...choices.maybe(0.3, 'ignoredResourceGroups', () => [choices.pick(['example.com', 'vendor.io'])]),
    ...choices.maybe(0.7, 'scoringStrategy', () => ({
      type,
      resources: distinct,
      ...(type === 'RequestedToCapacityRatio' && {
        requestedToCapacityRatio: {
          shape: [
            { utilization: 0, score: choices.integer(0, 10) },
            { utilization: choices.integer(10, 90), score: choices.integer(0, 10) },
            { utilization: 100, score: choices.integer(0, 10) },
          ],
        },
      }),
    })),
  }
}

/** Of weights other than 1 and of names that are there twice both sides must say that they are wrong. */
function balancedArgs(choices: Choices): Json {
  return {
    resources: choices.list(1, 3, () => ({
      name: choices.pick(['cpu', 'memory', ...extendedNames]),
      weight: choices.chance(0.95) ? 1 : 2,
    })),
  }
}

/** One question of kind `fit`. */
export function fitQuestion(choices: Choices): Json {
  const nodes = choices.list(1, 6, (index) => node(choices, index))
  const pods = choices.list(0, 10, (index) =>
    pod(choices, `b${index}`, choices.chance(0.95) ? `n${choices.integer(0, nodes.length - 1)}` : undefined),
  )
  return {
    nodes,
    pods,
    pod: candidate(choices),
    ...choices.maybe(0.2, 'nominatedPods', () =>
      choices.list(1, 2, (index) => {
        const made = pod(choices, `w${index}`)
        return { ...made, status: { nominatedNodeName: `n${choices.integer(0, nodes.length - 1)}` } }
      }),
    ),
    ...choices.maybe(0.4, 'args', () => fitArgs(choices)),
    ...choices.maybe(0.15, 'balancedArgs', () => balancedArgs(choices)),
    ...choices.maybe(0.12, 'nodeAffinityArgs', () => ({ addedAffinity: nodeAffinity(choices) })),
  }
}

/** One question of kind `preempt`: a full cluster of pods with lower and higher priorities. */
export function preemptQuestion(choices: Choices): Json {
  const question = fitQuestion(choices)
  const { args: _args, balancedArgs: _balanced, nodeAffinityArgs: _added, ...rest } = question
  return {
    ...rest,
    pod: {
      ...(question['pod'] as Json),
      spec: { ...((question['pod'] as Json)['spec'] as Json), priority: choices.pick([5, 10, 50]) },
    },
    ...choices.maybe(0.4, 'pdbs', () =>
      choices.list(1, 2, (index) => ({
        metadata: { name: `pdb${index}`, namespace: 'default' },
        spec: { selector: podSelector(choices) },
        status: { disruptionsAllowed: choices.integer(0, 2) },
      })),
    ),
  }
}
