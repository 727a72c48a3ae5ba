import { BerthError } from '@berth/types'

/** A simulated kubelet cannot listen on a socket. */
export class KubeletSocketError extends BerthError {}
