import { fitQuestion } from './cluster-question.ts'
import type { Json } from './json.ts'
import { apps, labelRequirement, podLabels, podLabelSelector } from './shared-values.ts'
import type { Choices } from './random.ts'

const topologyKeys = ['kubernetes.io/hostname', 'topology.kubernetes.io/zone', 'topology.kubernetes.io/zone', 'rack']
const namespaces = ['default', 'other', 'third'] as const
/** `unlisted` has pods but no Namespace object. */
const podNamespaces = ['default', 'default', 'other', 'third', 'unlisted'] as const
const teams = { team: ['a', 'b'], stage: ['dev', 'prod'] } as const

function namespaceSelector(choices: Choices): Json {
  return {
    ...choices.maybe(0.4, 'matchLabels', () => ({ team: choices.pick(teams.team) })),
    ...choices.maybe(0.5, 'matchExpressions', () => choices.list(1, 2, () => labelRequirement(choices, teams))),
  }
}

/** Returns a mostly valid selector. The API server would refuse the others, but stored objects may be older than its rules. */
function selector(choices: Choices): Json {
  if (choices.chance(0.015)) return { matchExpressions: [{ key: 'app', operator: choices.pick(['In', 'Near']) }] }
  return podLabelSelector(choices)
}

function labelKeys(choices: Choices): readonly string[] {
  return choices.list(1, 2, () => choices.pick(['app', 'tier', 'absent']))
}

function podAffinityTerm(choices: Choices): Json {
  return {
    ...choices.maybe(0.9, 'labelSelector', () => selector(choices)),
    topologyKey: choices.pick(topologyKeys),
    ...choices.maybe(0.2, 'namespaces', () => choices.list(1, 2, () => choices.pick(podNamespaces))),
    ...choices.maybe(0.2, 'namespaceSelector', () => namespaceSelector(choices)),
    ...choices.maybe(0.08, 'matchLabelKeys', () => labelKeys(choices)),
    ...choices.maybe(0.08, 'mismatchLabelKeys', () => labelKeys(choices)),
  }
}

function podAffinity(choices: Choices): Json {
  return {
    ...choices.maybe(0.5, 'requiredDuringSchedulingIgnoredDuringExecution', () =>
      choices.list(1, 2, () => podAffinityTerm(choices)),
    ),
    ...choices.maybe(0.5, 'preferredDuringSchedulingIgnoredDuringExecution', () =>
      choices.list(1, 2, () => ({ weight: choices.integer(1, 100), podAffinityTerm: podAffinityTerm(choices) })),
    ),
  }
}

/** Adds pod affinity and a namespace to the pod, and sometimes makes it terminating. */
function withPodAffinity(choices: Choices, made: Json, probability: number, isBound: boolean): Json {
  const spec = made['spec'] as Json
  const affinity = (spec['affinity'] ?? {}) as Json
  return {
    ...made,
    metadata: {
      ...(made['metadata'] as Json),
      namespace: choices.pick(podNamespaces),
      ...(isBound && choices.maybe(0.08, 'deletionTimestamp', () => '2026-01-01T00:00:00Z')),
    },
    spec: {
      ...spec,
      affinity: {
        ...affinity,
        ...choices.maybe(probability, 'podAffinity', () => podAffinity(choices)),
        ...choices.maybe(probability, 'podAntiAffinity', () => podAffinity(choices)),
      },
    },
  }
}

function spreadConstraint(choices: Choices): Json {
  const whenUnsatisfiable = choices.pick(['DoNotSchedule', 'ScheduleAnyway'])
  return {
    maxSkew: choices.chance(0.05) ? 0 : choices.integer(1, 3),
    topologyKey: choices.pick(topologyKeys),
    whenUnsatisfiable,
    ...choices.maybe(0.9, 'labelSelector', () => selector(choices)),
    ...(whenUnsatisfiable === 'DoNotSchedule' && choices.maybe(0.25, 'minDomains', () => choices.integer(1, 4))),
    ...choices.maybe(0.2, 'nodeTaintsPolicy', () => choices.pick(['Honor', 'Ignore'])),
    ...choices.maybe(0.2, 'nodeAffinityPolicy', () => choices.pick(['Honor', 'Ignore'])),
    ...choices.maybe(0.15, 'matchLabelKeys', () => labelKeys(choices)),
  }
}

/** Returns arguments of PodTopologySpread. Some are refused: a repeated pair, a selector, or constraints with System. */
function spreadArgs(choices: Choices): Json {
  const constraints = choices.list(0, 2, () => {
    const { labelSelector: _selector, ...constraint } = spreadConstraint(choices)
    return { ...constraint, ...choices.maybe(0.03, 'labelSelector', () => ({})) }
  })
  return {
    ...choices.maybe(0.9, 'defaultingType', () => choices.pick(['List', 'List', 'List', 'System'])),
    ...choices.maybe(0.8, 'defaultConstraints', () => constraints),
  }
}

function workload(choices: Choices, name: string): Json {
  return {
    metadata: { name, namespace: choices.pick(podNamespaces) },
    spec: choices.maybe(0.9, 'selector', () => selector(choices)),
  }
}

/** Returns services and workloads, the source of selectors for default constraints; the pod's owner may not be among them. */
function servicesAndWorkloads(choices: Choices): Json {
  const plain = (name: string): Json => ({
    metadata: { name, namespace: choices.pick(podNamespaces) },
    spec: choices.maybe(0.9, 'selector', () =>
      choices.chance(0.7) ? { app: choices.pick(apps) } : podLabels(choices),
    ),
  })
  return {
    services: choices.list(0, 4, (index) => plain(`s${index}`)),
    replicationControllers: choices.list(0, 2, (index) => plain(`o${index}`)),
    replicaSets: choices.list(0, 2, (index) => workload(choices, `o${index}`)),
    statefulSets: choices.list(0, 2, (index) => workload(choices, `o${index}`)),
  }
}

function ownerReference(choices: Choices): Json {
  return {
    ...choices.pick([
      { apiVersion: 'v1', kind: 'ReplicationController' },
      { apiVersion: 'apps/v1', kind: 'ReplicaSet' },
      { apiVersion: 'apps/v1', kind: 'StatefulSet' },
      { apiVersion: 'batch/v1', kind: 'Job' },
    ]),
    name: `o${choices.integer(0, 1)}`,
    uid: 'u',
    controller: choices.chance(0.9),
  }
}

function withTopology(choices: Choices, made: Json): Json {
  const metadata = made['metadata'] as Json
  const { 'kubernetes.io/hostname': hostname, ...labels } = metadata['labels'] as Json
  return {
    ...made,
    metadata: {
      ...metadata,
      labels: {
        ...labels,
        ...choices.maybe(0.92, 'kubernetes.io/hostname', () => (choices.chance(0.04) ? 'n0' : hostname)),
        ...choices.maybe(0.7, 'rack', () => choices.pick(['r1', 'r2', ''])),
      },
    },
  }
}

function namespaceObject(choices: Choices, name: string): Json {
  return {
    metadata: {
      name,
      labels: {
        'kubernetes.io/metadata.name': name,
        ...choices.maybe(0.7, 'team', () => choices.pick(teams.team)),
        ...choices.maybe(0.5, 'stage', () => choices.pick(teams.stage)),
      },
    },
  }
}

/** Generates a question of kind `topology`. */
export function topologyQuestion(choices: Choices): Json {
  const { nodes, pods, pod, nominatedPods, ...rest } = fitQuestion(choices)
  const made = withPodAffinity(choices, pod as Json, 0.4, false)
  // With small requests, other pods rather than resources decide which nodes are feasible.
  const hasSmallRequests = choices.chance(0.6)
  const withSmallRequest = (each: Json): Json =>
    hasSmallRequests
      ? { ...each, spec: { ...(each['spec'] as Json), containers: [{ name: 'c' }], initContainers: [] } }
      : each
  return {
    ...rest,
    nodes: (nodes as Json[]).map((each) => withTopology(choices, each)),
    pods: (pods as Json[]).map((each) => withSmallRequest(withPodAffinity(choices, each, 0.15, true))),
    namespaces: namespaces.map((name) => namespaceObject(choices, name)),
    pod: withSmallRequest({
      ...made,
      metadata: {
        ...(made['metadata'] as Json),
        ...choices.maybe(0.4, 'ownerReferences', () => [ownerReference(choices)]),
      },
      spec: {
        ...(made['spec'] as Json),
        ...choices.maybe(0.55, 'topologySpreadConstraints', () => choices.list(1, 3, () => spreadConstraint(choices))),
      },
    }),
    ...(nominatedPods !== undefined && {
      nominatedPods: (nominatedPods as Json[]).map((each) =>
        withSmallRequest(withPodAffinity(choices, each, 0.2, false)),
      ),
    }),
    ...(choices.chance(0.5) && servicesAndWorkloads(choices)),
    ...choices.maybe(0.3, 'podTopologySpreadArgs', () => spreadArgs(choices)),
    ...choices.maybe(0.25, 'interPodAffinityArgs', () => ({
      ...choices.maybe(0.7, 'hardPodAffinityWeight', () => choices.pick([0, 1, 5, 100, 101])),
      ...choices.maybe(0.5, 'ignorePreferredTermsOfExistingPods', () => choices.chance(0.7)),
    })),
  }
}
