import { BerthError } from '@berth/types'
import { CommandError } from '../errors.ts'

/** Next step after a request that took too long. */
export const TIMEOUT_HINT = 'Check the API server, or wait longer with --request-timeout.'

/** Returns the error of a command; for a request of the client without an answer in time, one that names the next step. */
export function withTimeoutHint(error: unknown): unknown {
  if (!(error instanceof BerthError) || error.code !== 'BERTH_API_TIMEOUT') return error
  return new CommandError(error.message, { code: 'BERTH_KUBECTL_TIMEOUT', cause: error, hint: TIMEOUT_HINT })
}
