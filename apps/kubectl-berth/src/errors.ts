import { BerthError, type ErrorDescription } from '@berth/types'

/** The command line is wrong. The program exits with 2. */
export class UsageError extends BerthError {
  constructor(message: string, hint: string) {
    super(message, { code: 'BERTH_KUBECTL_USAGE', hint })
  }
}

/** A command failed. The program exits with 1. */
export class CommandError extends BerthError {}

/** Error codes that kubectl-berth itself throws. */
export const kubectlBerthErrors: readonly ErrorDescription[] = [
  {
    code: 'BERTH_KUBECTL_USAGE',
    meaning: 'The command line has an unknown command, flag or value, or lacks an argument.',
    action: 'Run the help command in the message.',
  },
  {
    code: 'BERTH_KUBECTL_NOT_FOUND',
    meaning: 'The pod does not exist in the namespace, or the node does not exist.',
    action: 'List the pods or nodes with kubectl, or choose another namespace with -n.',
  },
  {
    code: 'BERTH_KUBECTL_FORBIDDEN',
    meaning: 'This user may not list the nodes, without which nothing can be decided.',
    action: 'Grant the permission that the message names, or use a recorded cluster.',
  },
  {
    code: 'BERTH_KUBECTL_KIND',
    meaning: 'The API server does not serve the resource type.',
    action: 'Find the name with `kubectl api-resources`.',
  },
  {
    code: 'BERTH_KUBECTL_FILE',
    meaning:
      'The file cannot be read, is not YAML or JSON, or does not hold what is needed: exactly one pod or workload, or for a snapshot a list with nodes.',
    action: 'Correct the file at the place that the message names.',
  },
  {
    code: 'BERTH_KUBECTL_DOCTOR',
    meaning: 'A check of doctor found a problem, or with --strict a warning or something that it could not read.',
    action: 'Apply the fixes in the output, and run the command again.',
  },
  {
    code: 'BERTH_KUBECTL_JUDGE',
    meaning: 'The engine could not evaluate the pod because a plugin failed.',
    action: 'Report the message and the pod.',
  },
  {
    code: 'BERTH_KUBECTL_ANSWER',
    meaning: 'The response of the API server is not a list.',
    action: 'Check that the address of the context belongs to an API server.',
  },
  {
    code: 'BERTH_KUBECTL_TIMEOUT',
    meaning: 'The API server did not answer a request within --request-timeout.',
    action: 'Check that the API server is reachable and not overloaded, or raise --request-timeout.',
  },
  {
    code: 'BERTH_KUBECTL_IN_USE',
    meaning: 'Berth cannot be uninstalled because running pods still use its resources.',
    action: 'Delete the pods that the message names, or force the uninstall as the hint says.',
  },
  {
    code: 'BERTH_KUBECTL_WIRING',
    meaning: 'The extenders of a KubeSchedulerConfiguration are wired in a way that is unsafe or does not work.',
    action: 'Change the keys that the output names.',
  },
  {
    code: 'BERTH_KUBECTL_REPLAY',
    meaning: 'Verdicts of a recording change with the configuration of the replay.',
    action: 'Compare the recorded and the replayed reasons in the output.',
  },
  {
    code: 'BERTH_KUBECTL_RENEW',
    meaning: 'wire --renew found no client certificate in the Secret, or could not write the files.',
    action: 'Name the Secret of the client, and run the command as a user that may write into --tls-dir.',
  },
  {
    code: 'BERTH_KUBECTL_WAIT',
    meaning: 'A DaemonSet did not become ready in time.',
    action: 'Run the kubectl command that the hint names.',
  },
  {
    code: 'BERTH_KUBECTL_PORT',
    meaning: 'The page cannot be served on the port.',
    action: 'Choose another --port, or leave it out for any free port.',
  },
  {
    code: 'BERTH_KUBECTL_PLUGIN',
    meaning: 'A plugin failed its checks, or a program would refuse to start with a plugin directory.',
    action: 'Fix what the output lists.',
  },
]
