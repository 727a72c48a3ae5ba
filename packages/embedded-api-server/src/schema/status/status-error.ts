import { BerthError, type Status } from '@berth/types'

/** A cause inside a Status. */
export interface StatusCause {
  readonly reason?: string
  readonly message: string
  readonly field?: string
}

/** A request that the API server refuses, with the Status that it answers. */
export class StatusError extends BerthError {
  readonly status: Status & { readonly code: number }

  constructor(status: Status & { readonly code: number; readonly message: string }) {
    super(status.message, { code: 'BERTH_SIMULATOR_REFUSED' })
    this.status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', ...status }
  }
}
