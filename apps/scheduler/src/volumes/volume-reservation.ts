import type { PersistentVolume, PersistentVolumeClaim } from '@berth/types'

/** An existing volume with the reference to its claim. */
export interface ReservedVolume {
  readonly volume: PersistentVolume
  readonly claim: PersistentVolumeClaim
  /** Whether the view shows this version because of this reservation. False once it is written. */
  readonly isAssumed: boolean
}

/** A claim with the node for which its volume is to be provisioned. */
export interface ReservedClaim {
  readonly claim: PersistentVolumeClaim
  /** Whether the view shows this version because of this reservation. False once it is written. */
  readonly isAssumed: boolean
}

/** The volumes that an assumed pod gets on its node. A written object replaces the assumed one. */
export interface VolumeReservation {
  readonly nodeName: string
  readonly bindTimeoutMs: number
  readonly volumes: ReservedVolume[]
  readonly claims: ReservedClaim[]
}
