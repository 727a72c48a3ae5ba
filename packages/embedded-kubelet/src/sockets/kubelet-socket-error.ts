import { BerthError } from '@berth/types'

/** A socket of a simulated kubelet cannot be served. */
export class KubeletSocketError extends BerthError {}
