import type { NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, PersistentVolume } from '@berth/types'
import { labelOf } from '../../selectors/label-requirement.ts'
import { termsOf } from '../../selectors/node-selector-term.ts'

const ZONE = 'topology.kubernetes.io/zone'
const ZONE_BETA = 'failure-domain.beta.kubernetes.io/zone'
const REGION = 'topology.kubernetes.io/region'
const REGION_BETA = 'failure-domain.beta.kubernetes.io/region'

type Terms = readonly NodeSelectorTerm[]

function requirementsOf(terms: Terms): readonly NodeSelectorRequirement[] {
  return terms.flatMap(({ matchExpressions }) => matchExpressions ?? [])
}

function usesBetaLabels(terms: Terms, { metadata }: PersistentVolume): boolean {
  const labels = metadata.labels ?? {}
  const keys = new Set(requirementsOf(terms).map(({ key }) => key))
  if (keys.has(ZONE)) return false
  if (keys.has(ZONE_BETA)) return true
  return labelOf(labels, ZONE) === undefined && labelOf(labels, ZONE_BETA) !== undefined
}

/** Renames the key `from` to `to`; undefined when no requirement on `from` has values. */
function renamed(terms: Terms, from: string, to: string): Terms | undefined {
  const hasValues = requirementsOf(terms).some(({ key, values }) => key === from && (values?.length ?? 0) > 0)
  if (!hasValues) return undefined
  return terms.map((term) => ({
    ...term,
    matchExpressions: (term.matchExpressions ?? []).map((requirement) =>
      requirement.key === from ? { ...requirement, key: to } : requirement,
    ),
  }))
}

/** Adds the zones of a label to every term, or to a new term when there is none. */
function withZones(terms: Terms, topologyKey: string, label: string | undefined): Terms {
  const zones = (label ?? '').split('__').map((zone) => zone.trim())
  const values = zones.filter((zone) => zone !== '')
  if (values.length === 0) return terms
  const requirement: NodeSelectorRequirement = { key: topologyKey, operator: 'In', values }
  return (terms.length === 0 ? [{}] : terms).map((term) => ({
    ...term,
    matchExpressions: [...(term.matchExpressions ?? []), requirement],
  }))
}

/**
 * Returns the required node affinity of an in-tree volume after migration to its CSI driver: zones use the driver's own
 * label, regions the current one. Undefined when it has none.
 *
 * @see k8s.io/csi-translation-lib plugins/in_tree_volume.go translateTopologyFromInTreeToCSI (v1.36)
 */
export function migratedAffinity(volume: PersistentVolume, topologyKey: string): NodeSelector | undefined {
  const required = volume.spec.nodeAffinity?.required
  const terms = required == null ? [] : termsOf(required)
  const isBeta = usesBetaLabels(terms, volume)
  const zoneLabel = isBeta ? ZONE_BETA : ZONE
  const zoned =
    renamed(terms, zoneLabel, topologyKey) ??
    withZones(terms, topologyKey, labelOf(volume.metadata.labels ?? {}, zoneLabel))
  const nodeSelectorTerms = (isBeta ? renamed(zoned, REGION_BETA, REGION) : undefined) ?? zoned
  return required == null && nodeSelectorTerms.length === 0 ? undefined : { nodeSelectorTerms }
}
