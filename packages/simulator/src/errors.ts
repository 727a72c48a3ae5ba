import type { ErrorDescription } from '@berth/types'
import { kubeletErrors } from './kubelet/index.ts'

/** Every error code that the simulator throws. */
export const simulatorErrors: readonly ErrorDescription[] = [
  {
    code: 'BERTH_SIMULATOR_REFUSED',
    meaning: 'The simulated API server answered a request with a failure Status.',
    action: 'Read the message: it is the one that a real API server gives.',
  },
  {
    code: 'BERTH_SIMULATOR_LISTEN',
    meaning: 'The simulated API server could not listen on the address.',
    action: 'Choose another port with --port, or stop what occupies it.',
  },
  {
    code: 'BERTH_SIMULATOR_KUBECONFIG',
    meaning: 'The kubeconfig file could not be written.',
    action: 'Name a file in a directory that exists and is writable.',
  },
  {
    code: 'BERTH_SIMULATOR_DIRECTORY',
    meaning: 'The directory for the sockets of the simulated kubelets cannot be made or written.',
    action: 'Name another one with --dir.',
  },
  ...kubeletErrors,
]
