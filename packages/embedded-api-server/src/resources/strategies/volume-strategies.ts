import { objectAt } from '../../schema/json/json-object.ts'
import type { Strategy } from '../kinds/strategy.ts'

/** Write rules of PersistentVolumeClaims: they start as Pending. */
export const volumeClaimStrategy: Strategy = {
  defaults: (claim) => ({ ...claim, spec: { volumeMode: 'Filesystem', ...objectAt(claim, 'spec') } }),
  prepareCreate: (claim) => ({ ...claim, status: { phase: 'Pending' } }),
  returnsDeleted: true,
}

/** Write rules of PersistentVolumes: they start as Available, and their default reclaim policy is Retain. */
export const volumeStrategy: Strategy = {
  defaults: (volume) => ({
    ...volume,
    spec: { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem', ...objectAt(volume, 'spec') },
  }),
  prepareCreate: (volume) => ({ ...volume, status: { phase: 'Available' } }),
  returnsDeleted: true,
}
