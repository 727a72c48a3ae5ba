import type { Json } from '../json.ts'
import { type Choices, createChoices } from '../random.ts'
import { apps, zones } from '../shared-values.ts'
import { priorityClasses, type Change, type History, type Step } from './history.ts'

const DONGLE = 'example.com/dongle'
const disks = ['ssd', 'hdd'] as const
const ZONE = 'topology.kubernetes.io/zone'
const HOSTNAME = 'kubernetes.io/hostname'

function taints(choices: Choices): Json {
  return choices.maybe(0.2, 'taints', () => [
    { key: 'dedicated', value: 'x', effect: choices.pick(['NoSchedule', 'NoSchedule', 'PreferNoSchedule']) },
  ])
}

function allocatable(choices: Choices): Json {
  return {
    // Many different sizes: nodes with equal scores are chosen at random, and such a history may not count.
    cpu: `${choices.integer(4, 40) * 100}m`,
    memory: `${choices.integer(8, 64) * 128}Mi`,
    pods: String(choices.pick([2, 3, 5, 110, 110, 110])),
    ...choices.maybe(0.6, DONGLE, () => String(choices.integer(0, 4))),
  }
}

function node(choices: Choices, name: string): Json {
  return {
    metadata: {
      name,
      labels: {
        [HOSTNAME]: name,
        ...choices.maybe(0.8, ZONE, () => choices.pick(zones)),
        ...choices.maybe(0.6, 'disk', () => choices.pick(disks)),
      },
    },
    spec: { ...choices.maybe(0.1, 'unschedulable', () => true), ...taints(choices) },
    status: { allocatable: allocatable(choices) },
  }
}

function podAffinityTerm(choices: Choices): Json {
  return {
    labelSelector: { matchLabels: { app: choices.pick(apps) } },
    topologyKey: choices.pick([HOSTNAME, HOSTNAME, ZONE]),
  }
}

function nodeAffinity(choices: Choices): Json {
  const matchExpressions = [
    choices.chance(0.5)
      ? { key: 'disk', operator: choices.pick(['In', 'NotIn']), values: [choices.pick(disks)] }
      : { key: ZONE, operator: 'In', values: choices.list(1, 2, () => choices.pick(zones)) },
  ]
  return { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } }
}

function affinity(choices: Choices): Json {
  return {
    ...choices.maybe(0.5, 'nodeAffinity', () => nodeAffinity(choices)),
    ...choices.maybe(0.4, 'podAntiAffinity', () => ({
      requiredDuringSchedulingIgnoredDuringExecution: [podAffinityTerm(choices)],
    })),
    ...choices.maybe(0.25, 'podAffinity', () => ({
      requiredDuringSchedulingIgnoredDuringExecution: [podAffinityTerm(choices)],
    })),
  }
}

function pod(choices: Choices, name: string, priorityClassName: string | undefined): Json {
  const app = choices.pick(apps)
  const dongles = choices.maybe(0.4, DONGLE, () => String(choices.pick([1, 1, 2, 3])))
  return {
    metadata: { name, labels: { app } },
    spec: {
      ...(priorityClassName !== undefined && { priorityClassName }),
      terminationGracePeriodSeconds: choices.pick([0, 0, 30]),
      containers: [
        {
          name: 'main',
          image: 'registry.example/main:v1',
          resources: {
            requests: {
              cpu: `${choices.pick([100, 200, 300, 500, 800, 1000, 1500, 2500])}m`,
              memory: `${choices.pick([64, 128, 256, 512, 1024, 2048])}Mi`,
              ...dongles,
            },
            limits: dongles,
          },
          ...choices.maybe(0.1, 'ports', () => [
            { containerPort: 80, hostPort: choices.pick([8080, 9090]), protocol: 'TCP' },
          ]),
        },
      ],
      ...choices.maybe(0.2, 'tolerations', () => [{ key: 'dedicated', operator: 'Exists' }]),
      ...choices.maybe(0.1, 'nodeSelector', () => ({ disk: choices.pick(disks) })),
      ...choices.maybe(0.35, 'affinity', () => affinity(choices)),
      ...choices.maybe(0.2, 'topologySpreadConstraints', () => [
        {
          maxSkew: choices.pick([1, 1, 2]),
          topologyKey: choices.pick([ZONE, HOSTNAME]),
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: { matchLabels: { app } },
        },
      ]),
      ...choices.maybe(0.1, 'schedulingGates', () => [{ name: 'example.com/hold' }]),
    },
  }
}

function disruptionBudget(choices: Choices, name: string): Step {
  const object = {
    metadata: { name },
    spec: { minAvailable: 1, selector: { matchLabels: { app: choices.pick(apps) } } },
  }
  const status = {
    disruptionsAllowed: choices.pick([0, 0, 1]),
    currentHealthy: 2,
    desiredHealthy: 1,
    expectedPods: 2,
    observedGeneration: 1,
  }
  return [
    { verb: 'create', in: 'poddisruptionbudgets', object },
    { verb: 'patch', in: 'poddisruptionbudgets', name, subresource: 'status', patch: { status } },
  ]
}

/** Returns one change of a node that may let waiting pods fit, or stop new ones. */
function nodeChange(choices: Choices, name: string): Change {
  const patch = (patch: Json): Change => ({ verb: 'patch', in: 'nodes', name, patch })
  return choices.pick<() => Change>([
    () => patch({ spec: { unschedulable: choices.chance(0.3) ? true : null } }),
    () => patch({ spec: { taints: (taints(choices)['taints'] as Json | undefined) ?? null } }),
    () => patch({ metadata: { labels: { disk: choices.pick([...disks, null]) } } }),
    () => patch({ metadata: { labels: { [ZONE]: choices.pick([...zones, null]) } } }),
    () => ({
      verb: 'patch',
      in: 'nodes',
      name,
      subresource: 'status',
      patch: { status: { allocatable: allocatable(choices) } },
    }),
  ])()
}

/**
 * Returns the history that follows from `seed` alone.
 *
 * Only the first step makes several changes of different kinds. Later ones create pods, highest priority first, or make a
 * single change: then the result does not depend on whether a scheduler receives all changes before its next attempt.
 */
export function randomHistory(seed: number): History {
  const choices = createChoices(seed)
  const nodes = choices.list(2, 5, (index) => `s${seed}-node-${index}`)
  const pods: string[] = []
  const gated: string[] = []
  let budgets = 0
  const classes = [...priorityClasses.map(({ name, value }) => ({ name, value })), { name: undefined, value: 0 }]

  const createPods = (): Step =>
    choices
      .list(1, 3, () => choices.pick(classes))
      .toSorted((a, b) => b.value - a.value)
      .map(({ name: priorityClass }): Change => {
        const name = `s${seed}-pod-${pods.length}`
        const object = pod(choices, name, priorityClass)
        pods.push(name)
        if ('schedulingGates' in (object['spec'] as Json)) gated.push(name)
        return { verb: 'create', in: 'pods', object }
      })
  const nextStep = (): Step => {
    const kind = choices.number()
    if (pods.length < 3 || kind < 0.45) return createPods()
    if (kind < 0.6) return [{ verb: 'delete', in: 'pods', name: choices.pick(pods) }]
    if (kind < 0.8) return [nodeChange(choices, choices.pick(nodes))]
    if (kind < 0.86) {
      nodes.push(`s${seed}-node-${nodes.length}`)
      return [{ verb: 'create', in: 'nodes', object: node(choices, nodes.at(-1) ?? '') }]
    }
    if (kind < 0.89) return [{ verb: 'delete', in: 'nodes', name: choices.pick(nodes) }]
    if (kind < 0.93) return disruptionBudget(choices, `s${seed}-pdb-${budgets++}`)
    if (kind < 0.96 || gated.length === 0) {
      const labels = { app: choices.pick(apps) }
      return [{ verb: 'patch', in: 'pods', name: choices.pick(pods), patch: { metadata: { labels } } }]
    }
    return [{ verb: 'patch', in: 'pods', name: choices.pick(gated), patch: { spec: { schedulingGates: [] } } }]
  }

  const first = [
    ...nodes.map((name): Change => ({ verb: 'create', in: 'nodes', object: node(choices, name) })),
    ...(choices.chance(0.3) ? disruptionBudget(choices, `s${seed}-pdb-${budgets++}`) : []),
  ]
  return { seed, steps: [first, ...choices.list(8, 14, nextStep)] }
}
