import type { VolumeMismatch } from '../../plugins/volume-binding/static-volumes.ts'

/** Why a claim cannot use one volume, or none, on a node. */
export type VolumeProblem =
  | VolumeMismatch
  /** The volume that the claim is bound to does not exist. */
  | 'missing'
  /** Labels of the bound volume and the node name different zones or regions. */
  | 'other-zone'
  /** An earlier attempt selected another node for the volume. */
  | 'other-node'
  /** No volume has the storage class of the claim, but volumes of other classes are free. */
  | 'other-class'
  /** Counts the volumes of the class that were not explained one by one. */
  | 'more'
  /** The storage class of an unbound claim does not exist. */
  | 'class-missing'
  /** The claim must be bound before the pod is placed. */
  | 'not-bound'
  /** The storage class has no provisioner. */
  | 'no-provisioner'
  /** The storage class does not provision volumes for the node. */
  | 'other-topology'
  /** The provisioner reports no room that the node can reach. */
  | 'no-space'

/** Explains one reason why a claim of the pod has no volume on a node. */
export interface VolumeFinding {
  /** The claim in the pod's namespace. */
  readonly claim: string
  /** The volume that the finding is about; absent when it is about the claim or several volumes. */
  readonly volume?: string
  readonly problem: VolumeProblem
  /** The finding as a sentence for users. */
  readonly sentence: string
}
