import { BerthError } from '@berth/types'

/** A request of a simulated kubelet that failed. */
export class KubeletApiError extends BerthError {
  /** HTTP status of the response. */
  readonly status: number

  constructor(message: string, status: number) {
    super(message, { code: 'BERTH_SIMULATOR_KUBELET_API', retryable: status === 429 || status >= 500 })
    this.status = status
  }
}
