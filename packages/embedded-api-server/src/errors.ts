import type { ErrorDescription } from '@berth/types'

/** The error codes of the embedded API server. */
export const apiServerErrors: readonly ErrorDescription[] = [
  {
    code: 'BERTH_SIMULATOR_REFUSED',
    meaning: 'The embedded API server refused a request with a failure Status.',
    action: 'Read the message: a real API server returns the same one.',
  },
]
