import type { ErrorDescription } from '@berth/types'

/** The error codes of the simulator. */
export const simulatorErrors: readonly ErrorDescription[] = [
  {
    code: 'BERTH_SIMULATOR_LISTEN',
    meaning: 'The simulated API server could not listen on the address.',
    action: 'Choose another port with --port, or stop the program that uses it.',
  },
  {
    code: 'BERTH_SIMULATOR_KUBECONFIG',
    meaning: 'The kubeconfig file could not be written.',
    action: 'Choose a file in an existing, writable directory.',
  },
  {
    code: 'BERTH_SIMULATOR_DIRECTORY',
    meaning: 'The directory for the sockets of the simulated kubelets cannot be created or written.',
    action: 'Choose another directory with --dir.',
  },
  {
    code: 'BERTH_SIMULATOR_AUDIT_LOG',
    meaning: 'The file for the audit log cannot be written.',
    action: 'Choose another file with --audit-log.',
  },
  {
    code: 'BERTH_SIMULATOR_TIMELINE',
    meaning: 'The timeline is not an audit log that contains the objects of its writes.',
    action: 'Record it with --audit-log, or with an audit policy of level Request.',
  },
  {
    code: 'BERTH_SIMULATOR_JOIN_FORBIDDEN',
    meaning: 'The credentials lack permissions that virtual nodes need in the cluster.',
    action: 'Use a kubeconfig whose user has the permissions in the message.',
  },
  {
    code: 'BERTH_SIMULATOR_JOIN_TAKEN',
    meaning: 'The cluster has a node with the name that is not a simulated node.',
    action: 'Choose other names with --prefix.',
  },
]
