import { objectAt } from '../../schema/json/json-object.ts'
import type { Strategy } from '../kinds/strategy.ts'

/** Persistent volume claims start as Pending. */
export const volumeClaimStrategy: Strategy = {
  defaults: (claim) => ({ ...claim, spec: { volumeMode: 'Filesystem', ...objectAt(claim, 'spec') } }),
  prepareCreate: (claim) => ({ ...claim, status: { phase: 'Pending' } }),
  returnsDeleted: true,
}

/** Persistent volumes start as Available and are retained by default. */
export const volumeStrategy: Strategy = {
  defaults: (volume) => ({
    ...volume,
    spec: { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem', ...objectAt(volume, 'spec') },
  }),
  prepareCreate: (volume) => ({ ...volume, status: { phase: 'Available' } }),
  returnsDeleted: true,
}
