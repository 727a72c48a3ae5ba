import type { PersistentVolume } from '@berth/types'
import { labelOf } from '../../selectors/label-requirement.ts'

/** Current labels by the beta labels that they replaced. */
export const currentLabels: ReadonlyMap<string, string> = new Map([
  ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
])
export const topologyLabels: readonly string[] = [...currentLabels.keys(), ...currentLabels.values()]

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
