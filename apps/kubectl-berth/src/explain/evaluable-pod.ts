import { isListed, type ClusterSnapshot } from '@berth/cluster-view'
import type { Pod } from '@berth/types'

/** The part of a pod that a snapshot can decide on. */
export interface EvaluablePod {
  readonly pod: Pod
  /** The parts that were left out, each with the reason: `spec.volumes[data]: …`. */
  readonly leftOut: readonly string[]
}

/** Types without which a filter would reject a pod because an object of its claims is missing. */
const CLAIM_TYPES = ['persistentvolumeclaims', 'persistentvolumes', 'storageclasses', 'csistoragecapacities']

/**
 * Leaves out the volumes with claims of a pod where this user may not list the objects that decide on them. The filters
 * would report these objects as missing.
 */
export function evaluablePod(
  pod: Pod,
  snapshot: Pick<ClusterSnapshot, 'forbidden' | 'fallbackNamespace'>,
): EvaluablePod {
  const { namespace = 'default' } = pod.metadata
  const { volumes = [] } = pod.spec
  const unknown = CLAIM_TYPES.filter((plural) => !isListed(snapshot, plural, namespace))
  const claims = volumes.filter(
    ({ persistentVolumeClaim, ephemeral }) => persistentVolumeClaim !== undefined || ephemeral !== undefined,
  )
  if (unknown.length === 0 || claims.length === 0) return { pod, leftOut: [] }
  const types = unknown.map((plural) =>
    plural === 'persistentvolumeclaims' ? `${plural} in namespace ${namespace}` : plural,
  )
  return {
    pod: { ...pod, spec: { ...pod.spec, volumes: volumes.filter((volume) => !claims.includes(volume)) } },
    leftOut: claims.map(({ name }) => `spec.volumes[${name}]: this user may not list ${types.join(' and ')}`),
  }
}
