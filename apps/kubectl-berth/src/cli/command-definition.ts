import type { CommandDefinition, FlagDefinition } from '@berth/process/command'
import type { Command } from './command.ts'
import { requestTimeoutFlag } from './request-timeout.ts'

const clusterFlags: readonly FlagDefinition[] = [
  {
    name: 'kubeconfig',
    placeholder: 'FILE',
    description: 'Path of the kubeconfig file. Default: KUBECONFIG, then ~/.kube/config.',
  },
  { name: 'context', placeholder: 'NAME', description: 'Context of the kubeconfig. Default: its current context.' },
  requestTimeoutFlag,
]

/** Returns the command line of a subcommand: its full name, and the flags that choose a cluster. */
export function commandDefinition(command: Command): CommandDefinition {
  return {
    ...command,
    name: `kubectl berth ${command.name}`,
    flags: [...command.flags, ...(command.usesCluster ? clusterFlags : [])],
  }
}
