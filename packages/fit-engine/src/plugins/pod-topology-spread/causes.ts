import type { Pod, TopologySpreadConstraint } from '@berth/types'
import { labelOf } from '../../selectors/label-requirement.ts'
import { labelSelectorText } from '../../selectors/selector-text.ts'
import type { ClusterTable } from '../../state/cluster-table.ts'
import { HardSpread } from './hard-spread.ts'
import { spreadConstraints, type SpreadDefaults } from './spread-constraints.ts'

/** Names the spread constraints that reject a node, with the numbers of matching pods. */
export function spreadCauses(
  pod: Pod,
  defaults: SpreadDefaults,
  cluster: ClusterTable,
): (row: number) => readonly string[] {
  const own = pod.spec.topologySpreadConstraints ?? []
  const isOwn = own.length > 0
  // In the order in which the constraints are parsed.
  const given = (isOwn ? own : defaults.constraints).filter(
    ({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule',
  )
  const parsed = spreadConstraints(pod, 'DoNotSchedule', defaults, cluster.objects)
  const spread = new HardSpread(cluster, pod, parsed)
  return (row) => {
    const labels = cluster.node(row).metadata.labels ?? {}
    return spread.violations(row).flatMap(({ index, skew }) => {
      const constraint = given[index]
      if (constraint === undefined) return []
      const { topologyKey, maxSkew, minDomains } = constraint
      const name = constraintText(constraint, isOwn)
      if (skew === undefined) return `${name}: the node has no label ${topologyKey}.`
      const { here, smallest, domains, self } = skew
      const floor =
        domains < (minDomains ?? 1)
          ? `there are ${domains} domains and minDomains is ${minDomains}, so the fewest count as 0`
          : `the domain with the fewest has ${smallest}`
      const domain = `${topologyKey}=${labelOf(labels, topologyKey) ?? ''}`
      return `${name}: ${domain} has ${here} matching pods and ${floor}; the skew with this pod would be ${here + self - smallest}, and maxSkew is ${maxSkew}.`
    })
  }
}

function constraintText({ topologyKey, labelSelector }: TopologySpreadConstraint, isOwn: boolean): string {
  const pods = isOwn ? ` of pods with ${labelSelectorText(labelSelector)}` : ''
  return `${isOwn ? 'Spread constraint' : "Spread constraint of the scheduler's profile"} over ${topologyKey}${pods}`
}
