import type { Pod } from '@berth/types'
import type { EncodedRequest } from './encoded-request.ts'

/** A pod that takes up resources on a node, because it is bound to the node or assumed there. Never changed in place. */
export interface PlacedPod {
  readonly pod: Pod
  readonly row: number
  readonly isAssumed: boolean
  readonly request: EncodedRequest
}
