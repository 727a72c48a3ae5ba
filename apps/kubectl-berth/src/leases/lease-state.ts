import { humanDuration } from '@berth/text/human-duration'
import type { Lease } from '@berth/types'

/** Returns whether a holder renewed the Lease within its duration. */
export function isHeld({ spec = {} }: Lease, nowMs: number): boolean {
  const { holderIdentity = '', renewTime = '', leaseDurationSeconds = 0 } = spec
  return holderIdentity !== '' && nowMs - Date.parse(renewTime) <= leaseDurationSeconds * 1000
}

/** Returns how long ago the Lease was renewed: `renewed 3s ago`. */
export function renewedText({ spec = {} }: Lease, nowMs: number): string {
  const renewedMs = Date.parse(spec.renewTime ?? '')
  return Number.isNaN(renewedMs) ? 'never renewed' : `renewed ${humanDuration(nowMs - renewedMs)} ago`
}
