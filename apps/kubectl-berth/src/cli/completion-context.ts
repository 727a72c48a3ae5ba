import type { CommandLine } from '@berth/process/command'
import type { Command } from './command.ts'
import type { Session } from './session.ts'
import type { Terminal } from './terminal.ts'

/** The word that makes the program complete a command line, as cobra's programs do. */
export const COMPLETE = '__complete'

/** Dependencies of completion. */
export interface CompletionContext {
  readonly commands: readonly Command[]
  readonly terminal: Terminal
  readonly stop: AbortSignal
  readonly connect: (line: CommandLine, deadlineMs: number) => Promise<Session>
  /** Returns the contexts of the kubeconfig that a command line names. */
  readonly contexts: (line: CommandLine) => Promise<readonly string[]>
}
