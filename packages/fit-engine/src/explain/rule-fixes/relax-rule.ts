import type { Affinity, Pod, PodSpec } from '@berth/types'
import type { RelaxRuleFix } from '../explanation.ts'
import { feasibleAfter, type FixSearch, rejectedOnlyBy } from '../fix-search.ts'

/** Costs of giving up a rule of the pod: medium, because the rule has a purpose but affects only the pod's owner. */
const SPREAD_COST = 14
const POD_AFFINITY_COST = 16
const HOST_PORT_COST = 17
const NODE_RULE_COST = 18

/** The pod with one rule removed or softened, and the path of that rule. */
interface Relaxation {
  readonly pod: Pod
  readonly field: string
  readonly value?: string
  readonly sentence: string
}

type FindRelaxations = (pod: Pod) => readonly Relaxation[]

/** One search for each filter whose rules stand in the pod. */
export const relaxations: readonly ((search: FixSearch) => RelaxRuleFix | undefined)[] = [
  (search) => relax(search, { plugin: 'PodTopologySpread', find: softerSpread, cost: SPREAD_COST }),
  (search) => relax(search, { plugin: 'InterPodAffinity', find: withoutPodAffinity, cost: POD_AFFINITY_COST }),
  (search) => relax(search, { plugin: 'NodePorts', find: withoutHostPort, cost: HOST_PORT_COST }),
  (search) => relax(search, { plugin: 'NodeAffinity', find: withoutNodeRule, cost: NODE_RULE_COST }),
]

/**
 * Returns the first rule without which the pod fits some node. Tries the rules only if a node is rejected by this
 * filter alone.
 */
function relax(
  search: FixSearch,
  { plugin, find, cost }: { readonly plugin: string; readonly find: FindRelaxations; readonly cost: number },
): RelaxRuleFix | undefined {
  if (rejectedOnlyBy(search, new Set([plugin])).length === 0) return undefined
  for (const { pod, field, value, sentence } of find(search.pod)) {
    const [node] = feasibleAfter(search, { pod })
    if (node === undefined) continue
    return {
      kind: 'relax-rule',
      node,
      field,
      value,
      cost,
      sentence: `${sentence}: node ${node} then fits.`,
      verified: true,
    }
  }
  return undefined
}

function withSpec(pod: Pod, change: Partial<PodSpec>): Pod {
  return { ...pod, spec: { ...pod.spec, ...change } }
}

function softerSpread(pod: Pod): readonly Relaxation[] {
  const constraints = pod.spec.topologySpreadConstraints ?? []
  return constraints.flatMap((constraint, index) => {
    if (constraint.whenUnsatisfiable !== 'DoNotSchedule') return []
    const softer = constraints.with(index, { ...constraint, whenUnsatisfiable: 'ScheduleAnyway' })
    return {
      pod: withSpec(pod, { topologySpreadConstraints: softer }),
      field: `spec.topologySpreadConstraints[${index}].whenUnsatisfiable`,
      value: 'ScheduleAnyway',
      sentence: `Only prefer to spread over ${constraint.topologyKey} (maxSkew ${constraint.maxSkew})`,
    }
  })
}

function withoutPodAffinity(pod: Pod): readonly Relaxation[] {
  const kinds = [
    ['podAntiAffinity', 'to stay away from certain pods'],
    ['podAffinity', 'to be near certain pods'],
  ] as const
  return kinds.flatMap(([kind, meaning]) => {
    const given = pod.spec.affinity?.[kind]
    const terms = given?.requiredDuringSchedulingIgnoredDuringExecution ?? []
    return terms.map(({ topologyKey }, index) => {
      const affinity: Affinity = {
        ...pod.spec.affinity,
        [kind]: { ...given, requiredDuringSchedulingIgnoredDuringExecution: terms.toSpliced(index, 1) },
      }
      return {
        pod: withSpec(pod, { affinity }),
        field: `spec.affinity.${kind}.requiredDuringSchedulingIgnoredDuringExecution[${index}]`,
        sentence: `Do not require ${meaning} within ${topologyKey}`,
      }
    })
  })
}

function withoutHostPort(pod: Pod): readonly Relaxation[] {
  return pod.spec.containers.flatMap((container, index) =>
    (container.ports ?? []).flatMap((port, position) => {
      const { hostPort = 0, hostIP: _, ...rest } = port
      if (hostPort === 0) return []
      const changed = { ...container, ports: container.ports?.with(position, { ...rest, hostPort: 0 }) ?? [] }
      return {
        pod: withSpec(pod, { containers: pod.spec.containers.with(index, changed) }),
        field: `spec.containers[${index}].ports[${position}].hostPort`,
        sentence: `Do not use the host port ${hostPort} (a Service reaches the pod without it)`,
      }
    }),
  )
}

function withoutNodeRule(pod: Pod): readonly Relaxation[] {
  const { nodeSelector = {}, affinity } = pod.spec
  const selectors = Object.entries(nodeSelector ?? {}).map(([key, value]) => {
    const { [key]: _, ...others } = nodeSelector
    return {
      pod: withSpec(pod, { nodeSelector: others }),
      field: `spec.nodeSelector[${JSON.stringify(key)}]`,
      sentence: `Do not require the node label ${key}=${value}`,
    }
  })
  if (affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution == null) return selectors
  const { requiredDuringSchedulingIgnoredDuringExecution: _, ...preferred } = affinity.nodeAffinity
  return [
    ...selectors,
    {
      pod: withSpec(pod, { affinity: { ...affinity, nodeAffinity: preferred } }),
      field: 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution',
      sentence: 'Do not require the node affinity',
    },
  ]
}
