import type { Session } from './session.ts'
import type { Terminal } from './terminal.ts'

/** One flag of a command. */
export interface Flag {
  /** Long name without dashes. */
  readonly name: string
  readonly short?: string
  /** Present: the flag takes a value, shown as this word. */
  readonly placeholder?: string
  readonly isRepeatable?: boolean
  /** Only these values are legal. */
  readonly choices?: readonly string[]
  readonly description: string
}

/** A command line and what it does. */
export interface Example {
  readonly command: string
  readonly description: string
}

/** What was given on the command line. */
export interface Given {
  /** Words after the command. */
  readonly words: readonly string[]
  /** undefined: the flag was not given. */
  text(flag: string): string | undefined
  /** Every value of a repeatable flag. */
  texts(flag: string): readonly string[]
  has(flag: string): boolean
}

/** What a command works with. */
export interface CommandContext {
  readonly terminal: Terminal
  /** Connects to the cluster that --kubeconfig and --context choose, or to that of another kubeconfig file. */
  readonly connect: (kubeconfig?: string) => Promise<Session>
  /** Aborts when the person presses Ctrl-C. */
  readonly stop: AbortSignal
}

/** One sub-command. */
export interface Command {
  readonly name: string
  /** One sentence. */
  readonly summary: string
  /** What follows `kubectl berth`: `explain pod NAME`. */
  readonly usage: string
  /** Words that may follow it; one more is a mistake that is named before anything is read. */
  readonly maxWords: number
  readonly flags: readonly Flag[]
  readonly examples: readonly Example[]
  /** Whether it talks to a cluster; adds --kubeconfig and --context. */
  readonly usesCluster: boolean
  run(given: Given, context: CommandContext): Promise<void>
}
