import type { Pod, PodAffinityTerm } from '@berth/types'
import { labelOf } from '../../selectors/label-requirement.ts'
import { type AffinityTerm, parseAffinityTerms } from '../../selectors/affinity-terms.ts'
import { labelSelectorText } from '../../selectors/selector-text.ts'
import type { ClusterTable } from '../../state/cluster-table.ts'
import { podNames } from '../causes/pod-names.ts'
import { incomingPod, isSelectedBy, ownTermSelects } from './incoming-pod.ts'

/** The pods that matter to one term, by the value of the term's topology key on their node. */
type PodsByDomain = ReadonlyMap<string, readonly Pod[]>

/** One required term with the text that names it. */
interface NamedTerm {
  readonly name: string
  readonly topologyKey: string
  readonly pods: PodsByDomain
}

/**
 * Returns a function that names the required terms for which a row is rejected: the pod's affinity terms without a
 * matching pod, its anti-affinity terms with the pods that match them, and the existing pods whose anti-affinity
 * selects the pod.
 */
export function podAffinityCauses(pod: Pod, cluster: ClusterTable): (row: number) => readonly string[] {
  const incoming = incomingPod(pod, cluster)
  const { requiredAffinity, requiredAntiAffinity } = incoming.terms
  const placed = placedPods(cluster)
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {}
  const named = (
    kind: string,
    terms: readonly AffinityTerm[],
    given: readonly PodAffinityTerm[] | undefined,
    isMatch: (term: AffinityTerm, other: Pod) => boolean,
  ): readonly NamedTerm[] =>
    terms.map((term, index) => ({
      name: `${kind} term ${index + 1} (pods with ${labelSelectorText(given?.[index]?.labelSelector)}, within ${term.topologyKey})`,
      topologyKey: term.topologyKey,
      pods: byDomain(placed, term.topologyKey, cluster, (other) => isMatch(term, other)),
    }))
  const required = 'requiredDuringSchedulingIgnoredDuringExecution'
  // As in the filter, a pod counts only when it matches all affinity terms.
  const near = named('Pod affinity', requiredAffinity, podAffinity?.[required], (_term, other) =>
    requiredAffinity.every((term) => ownTermSelects(term, other)),
  )
  const far = named('Pod anti-affinity', requiredAntiAffinity, podAntiAffinity?.[required], ownTermSelects)
  const isFirst =
    near.every(({ pods }) => pods.size === 0) && requiredAffinity.every((term) => ownTermSelects(term, pod))
  const existingTerms = placed.flatMap(({ pod: other, row }) =>
    parseAffinityTerms(other)
      .requiredAntiAffinity.filter((term) => isSelectedBy(incoming, term))
      .map(({ topologyKey }) => ({ other, topologyKey, domain: domainOf(cluster, row, topologyKey) })),
  )
  return (row) => {
    const violated = Map.groupBy(
      existingTerms.filter(
        ({ topologyKey, domain }) => domain !== undefined && domain === domainOf(cluster, row, topologyKey),
      ),
      ({ topologyKey, domain }) => `${topologyKey}=${domain}`,
    )
    return [
      ...near.flatMap((term) => missingNeighbor(term, domainOf(cluster, row, term.topologyKey), isFirst)),
      ...far.flatMap((term) => unwantedNeighbor(term, domainOf(cluster, row, term.topologyKey))),
      ...[...violated].map(
        ([domain, found]) =>
          `The anti-affinity of ${podNames([...new Set(found.map(({ other }) => other))])}, in ${domain}, keeps the pod away.`,
      ),
    ]
  }
}

function missingNeighbor(
  { name, topologyKey, pods }: NamedTerm,
  domain: string | undefined,
  isFirst: boolean,
): readonly string[] {
  if (domain === undefined) return [`${name}: the node has no label ${topologyKey}.`]
  if (isFirst || pods.has(domain)) return []
  const elsewhere = [...pods.keys()].sort().slice(0, 3)
  const hint = elsewhere.length === 0 ? 'none runs anywhere' : `they run in ${elsewhere.join(', ')}`
  return [`${name}: no such pod runs in ${topologyKey}=${domain}; ${hint}.`]
}

function unwantedNeighbor({ name, topologyKey, pods }: NamedTerm, domain: string | undefined): readonly string[] {
  const found = domain === undefined ? undefined : pods.get(domain)
  return found === undefined ? [] : [`${name}: ${podNames(found)} runs in ${topologyKey}=${domain}.`]
}

interface PlacedPod {
  readonly pod: Pod
  readonly row: number
}

function placedPods(cluster: ClusterTable): readonly PlacedPod[] {
  return [...cluster.rows.liveRows()].flatMap((row) => cluster.podsOn(row).map((pod) => ({ pod, row })))
}

function domainOf(cluster: ClusterTable, row: number, topologyKey: string): string | undefined {
  return labelOf(cluster.node(row).metadata.labels ?? {}, topologyKey)
}

function byDomain(
  placed: readonly PlacedPod[],
  topologyKey: string,
  cluster: ClusterTable,
  isMatch: (pod: Pod) => boolean,
): PodsByDomain {
  const domains = new Map<string, Pod[]>()
  for (const { pod, row } of placed) {
    const domain = domainOf(cluster, row, topologyKey)
    if (domain === undefined || !isMatch(pod)) continue
    const pods = domains.get(domain)
    if (pods === undefined) domains.set(domain, [pod])
    else pods.push(pod)
  }
  return domains
}
