import { BerthError, type ErrorDescription } from '@berth/types'

/** The command line cannot be understood; the program exits with 2. */
export class UsageError extends BerthError {
  constructor(message: string, hint: string) {
    super(message, { code: 'BERTH_KUBECTL_USAGE', hint })
  }
}

/** A command was understood and could not be carried out; the program exits with 1. */
export class CommandError extends BerthError {}

/** Every code that kubectl-berth throws on its own. */
export const kubectlBerthErrors: readonly ErrorDescription[] = [
  {
    code: 'BERTH_KUBECTL_USAGE',
    meaning: 'The command line names an unknown command, flag or value, or lacks a word.',
    action: 'Read the help that the message names.',
  },
  {
    code: 'BERTH_KUBECTL_NOT_FOUND',
    meaning: 'The pod that was asked about does not exist in the namespace.',
    action: 'Run the kubectl command that the hint names, or choose the namespace with -n.',
  },
  {
    code: 'BERTH_KUBECTL_KIND',
    meaning: 'The API server serves no resource type of this name.',
    action: 'Look for its name with `kubectl api-resources`.',
  },
  {
    code: 'BERTH_KUBECTL_FILE',
    meaning: 'The file that was given cannot be read, is no YAML or JSON, or holds not exactly one pod or workload.',
    action: 'Correct the file at the place that the message names.',
  },
  {
    code: 'BERTH_KUBECTL_JUDGE',
    meaning: 'The engine could not judge the pod because one of its filters broke.',
    action: 'Report it with the message and the pod.',
  },
  {
    code: 'BERTH_KUBECTL_ANSWER',
    meaning: 'The API server answered with something that is no list.',
    action: 'Check that the address of the context belongs to an API server.',
  },
  {
    code: 'BERTH_KUBECTL_IN_USE',
    meaning: 'Berth cannot be uninstalled because running pods still use its resources.',
    action: 'Delete the pods that the message names, or force the uninstall as the hint says.',
  },
  {
    code: 'BERTH_KUBECTL_WAIT',
    meaning: 'A DaemonSet did not become ready in time.',
    action: 'Run the kubectl command that the hint names.',
  },
]
