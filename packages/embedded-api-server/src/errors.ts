import type { ErrorDescription } from '@berth/types'

/** The error codes of the embedded API server. */
export const apiServerErrors: readonly ErrorDescription[] = [
  {
    code: 'BERTH_SIMULATOR_REFUSED',
    meaning: 'The simulated API server answered a request with a failure Status.',
    action: 'Read the message: it is the one that a real API server gives.',
  },
]
