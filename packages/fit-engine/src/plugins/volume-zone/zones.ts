import type { Node, PersistentVolume } from '@berth/types'
import { type Labels, labelOf } from '../../selectors/label-requirement.ts'

/** Current labels by the beta labels that they replaced. */
const currentLabels: ReadonlyMap<string, string> = new Map([
  ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
])
const topologyLabels: readonly string[] = [...currentLabels.keys(), ...currentLabels.values()]

/** A zone or region of a volume: its node must have the label with one of the values. */
export interface VolumeZone {
  readonly label: string
  readonly values: ReadonlySet<string>
}

/** Returns the zones in the labels of a volume; a label with an empty zone is ignored. */
export function zonesOf({ metadata }: PersistentVolume): readonly VolumeZone[] {
  const labels = metadata.labels ?? {}
  return topologyLabels.flatMap((label) => {
    const values = labelOf(labels, label)
      ?.split('__')
      .map((zone) => zone.trim())
    return values === undefined || values.includes('') ? [] : { label, values: new Set(values) }
  })
}

/** Returns whether the node is in all the zones. A node without any such label is in every zone. */
export function isInZones({ metadata }: Node, zones: readonly VolumeZone[]): boolean {
  const labels = metadata.labels ?? {}
  if (!topologyLabels.some((label) => labelOf(labels, label) !== undefined)) return true
  return zones.every(({ label, values }) => {
    const value = zoneOfNode(labels, label)
    return value !== undefined && values.has(value)
  })
}

/** Returns the node's value of a zone label. A beta label of a volume also matches the current label of a node. */
function zoneOfNode(labels: Labels, label: string): string | undefined {
  return labelOf(labels, label) ?? labelOf(labels, currentLabels.get(label) ?? label)
}
