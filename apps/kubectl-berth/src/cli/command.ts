import type { CommandDefinition, CommandLine } from '@berth/process/command'
import type { Transport } from '@berth/k8s-client'
import type { BerthPlugin, PluginRegistry } from '@berth/plugin-api'
import type { Candidates } from './candidates.ts'
import type { Session } from './session.ts'
import type { Terminal } from './terminal.ts'

/** Dependencies of a command. */
export interface CommandContext {
  readonly terminal: Terminal
  /** Connects to the cluster that --kubeconfig and --context choose. */
  readonly connect: () => Promise<Session>
  /** Connects to the cluster of a kubeconfig file and one of its contexts, for requests of any kind. */
  readonly connectTransport: (kubeconfig: string, context?: string) => Promise<Transport>
  /** Loads the scheduling plugins of the program, and those of a directory. */
  readonly loadPlugins: (dir: string | undefined) => Promise<PluginRegistry>
  /** Returns the scheduling plugins of the program. */
  readonly builtInPlugins: () => Promise<readonly BerthPlugin[]>
  /** Aborts on Ctrl-C. */
  readonly stop: AbortSignal
}

/** One subcommand. Its `name` is what follows `kubectl berth`: a word, or two for a command of a group. */
export interface Command extends CommandDefinition {
  /** Whether it reads a cluster; adds --kubeconfig and --context. */
  readonly usesCluster: boolean
  /** Completions of each argument; the last entry is used for further arguments. Omit to offer its choices. */
  readonly completes?: readonly Candidates[]
  run(line: CommandLine, context: CommandContext): Promise<void>
}
