import { commandHelp, type CommandLine, parseCommandLine } from '@berth/process/command'
import type { Transport } from '@berth/k8s-client'
import type { BerthPlugin, PluginRegistry } from '@berth/plugin-api'
import { nearestName } from '@berth/text/nearest-name'
import { COMPLETE, type CompletionContext } from './completion-context.ts'
import type { Command } from './command.ts'
import { commandDefinition } from './command-definition.ts'
import { UsageError } from '../errors.ts'
import { guardTerminal } from './guard-terminal.ts'
import { parseRequestTimeout } from './request-timeout.ts'
import { programHelp } from './program-help.ts'
import type { Session } from './session.ts'
import type { Terminal } from './terminal.ts'
import { withTimeoutHint } from './timeout-hint.ts'

/** Options of {@link runCli}. */
export interface CliOptions {
  readonly argv: readonly string[]
  readonly commands: readonly Command[]
  readonly terminal: Terminal
  readonly stop: AbortSignal
  readonly version: string
  readonly connect: (choice: {
    readonly kubeconfig: string | undefined
    readonly context: string | undefined
    readonly deadlineMs: number
  }) => Promise<Session>
  /** Prints the completions of the last word. */
  readonly complete: (words: readonly string[], context: CompletionContext) => Promise<void>
  /** Returns the names of the contexts of a kubeconfig. */
  readonly contexts: (kubeconfig: string | undefined) => Promise<readonly string[]>
  readonly connectTransport: (kubeconfig: string, context?: string) => Promise<Transport>
  readonly loadPlugins: (dir: string | undefined) => Promise<PluginRegistry>
  readonly builtInPlugins: () => Promise<readonly BerthPlugin[]>
}

/**
 * Runs the command that `argv` names, or prints the help or the version.
 *
 * @throws UsageError BERTH_KUBECTL_USAGE, and what the command throws.
 */
export async function runCli(options: CliOptions): Promise<void> {
  const { commands, stop, version, connectTransport, loadPlugins, builtInPlugins } = options
  const terminal = guardTerminal(options.terminal)
  const connectAs = (line: CommandLine, deadlineMs: number): Promise<Session> =>
    options.connect({ kubeconfig: line.text('kubeconfig'), context: line.text('context'), deadlineMs })
  if (options.argv[0] === COMPLETE) {
    const contexts = (line: CommandLine) => options.contexts(line.text('kubeconfig'))
    await options.complete(options.argv.slice(1), { commands, terminal, stop, connect: connectAs, contexts })
    return
  }
  // "help explain" is "explain --help".
  const argv = options.argv[0] === 'help' ? [...options.argv.slice(1), '--help'] : options.argv
  const [name, ...rest] = argv
  if (name === undefined || isHelpFlag(name)) {
    terminal.out(programHelp(commands, terminal.columns))
    return
  }
  if (name === '--version' || name === 'version') {
    terminal.out(`kubectl-berth ${version}\n`)
    return
  }
  const group = commands.filter((one) => one.name.startsWith(`${name} `))
  const [member, ...memberRest] = rest
  if (group.length > 0 && (member === undefined || isHelpFlag(member))) {
    terminal.out(programHelp(group, terminal.columns))
    return
  }
  const command = findCommand(commands, group.length > 0 ? `${name} ${member}` : name)
  const definition = commandDefinition(command)
  const { line, isHelp, problems } = parseCommandLine(definition, group.length > 0 ? memberRest : rest)
  if (isHelp) {
    terminal.out(commandHelp(definition, terminal.columns))
    return
  }
  const [problem] = problems
  if (problem !== undefined) throw new UsageError(problem, `Run: ${definition.name} --help`)
  const connect = async (): Promise<Session> => connectAs(line, await parseRequestTimeout(line.text('request-timeout')))
  try {
    await command.run(line, { terminal, stop, connect, connectTransport, loadPlugins, builtInPlugins })
  } catch (error) {
    throw withTimeoutHint(error)
  }
}

function isHelpFlag(word: string): boolean {
  return word === '--help' || word === '-h'
}

function findCommand(commands: readonly Command[], wanted: string): Command {
  const command = commands.find((one) => one.name === wanted)
  if (command !== undefined) return command
  const names = commands.map((one) => one.name)
  const nearest = nearestName(wanted, names)
  const help = nearest === undefined ? `expected one of ${names.join(', ')}` : `did you mean ${nearest}?`
  throw new UsageError(`unknown command "${wanted}": ${help}`, 'Run: kubectl berth --help')
}
