import type { ErrorDescription } from '@berth/types'

/** Every error code that the simulator throws. */
export const simulatorErrors: readonly ErrorDescription[] = [
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
  {
    code: 'BERTH_SIMULATOR_AUDIT_LOG',
    meaning: 'The file for the audit log cannot be written.',
    action: 'Name another one with --audit-log.',
  },
  {
    code: 'BERTH_SIMULATOR_JOIN_FORBIDDEN',
    meaning: 'The credentials do not allow what virtual nodes do to the cluster that they are to join.',
    action: 'Use a kubeconfig whose user may do everything that the message names.',
  },
  {
    code: 'BERTH_SIMULATOR_JOIN_TAKEN',
    meaning: 'The cluster has a node of that name already, and it is no simulated one.',
    action: 'Choose other names with --prefix.',
  },
]
