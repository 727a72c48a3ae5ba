import type { PersistentVolume, PersistentVolumeClaim } from '@berth/types'

/** A volume or claim that pods with the same claim share: what is written for one of them counts for all. */
export interface SharedObject {
  /** Number of pods that rely on it. */
  holders: number
  /** Whether the view shows this version because of a reservation. False once it is written. */
  isAssumed: boolean
  /** Whether the API server has this version. */
  isWritten: boolean
  /** The write in flight. Never rejects. */
  writing?: Promise<void> | undefined
}

/** An existing volume with the reference to its claim. */
export interface ReservedVolume extends SharedObject {
  volume: PersistentVolume
  readonly claim: PersistentVolumeClaim
}

/** A claim with the node for which its volume is to be provisioned. */
export interface ReservedClaim extends SharedObject {
  claim: PersistentVolumeClaim
}

/** The volumes that an assumed pod gets on its node. A written object replaces the assumed one. */
export interface VolumeReservation {
  readonly nodeName: string
  readonly bindTimeoutMs: number
  readonly volumes: readonly ReservedVolume[]
  readonly claims: readonly ReservedClaim[]
}
