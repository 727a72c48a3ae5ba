import { BerthError } from '@berth/types'

/** The API server refused what a simulated kubelet needs. */
export class KubeletApiError extends BerthError {
  /** HTTP status of the answer. */
  readonly status: number

  constructor(message: string, status: number) {
    super(message, { code: 'BERTH_SIMULATOR_KUBELET_API', retryable: status === 429 || status >= 500 })
    this.status = status
  }
}
