import { BerthError, type Status } from '@berth/types'

/** One entry of `details.causes` in a Status. */
export interface StatusCause {
  readonly reason?: string
  readonly message: string
  readonly field?: string
}

/** A refused request, with the Status that the server returns (upstream `errors.StatusError`). */
export class StatusError extends BerthError {
  readonly status: Status & { readonly code: number }

  constructor(status: Status & { readonly code: number; readonly message: string }) {
    super(status.message, { code: 'BERTH_SIMULATOR_REFUSED' })
    this.status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', ...status }
  }
}
