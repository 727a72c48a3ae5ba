import type { Command, CommandContext, Given } from './command.ts'
import { UsageError } from './errors.ts'
import { commandHelp, programHelp } from './help-text.ts'
import { parseCommand } from './parse-command.ts'
import type { Session } from './session.ts'
import type { Terminal } from './terminal.ts'

/** What the whole program needs of the world. */
export interface CliOptions {
  readonly argv: readonly string[]
  readonly commands: readonly Command[]
  readonly terminal: Terminal
  readonly stop: AbortSignal
  readonly version: string
  readonly connect: (choice: { kubeconfig: string | undefined; context: string | undefined }) => Promise<Session>
}

/**
 * Runs one command line.
 *
 * @throws UsageError BERTH_KUBECTL_USAGE; whatever the command throws.
 */
export async function runCli(options: CliOptions): Promise<void> {
  const { argv, commands, terminal, stop, version } = options
  const [name, ...rest] = argv
  if (name === undefined || name === '--help' || name === '-h' || (name === 'help' && rest.length === 0)) {
    terminal.out(programHelp(commands))
    return
  }
  if (name === '--version' || name === 'version') {
    terminal.out(`kubectl-berth ${version}\n`)
    return
  }
  const wanted = name === 'help' ? (rest[0] ?? '') : name
  const command = commands.find((one) => one.name === wanted)
  if (command === undefined) {
    const known = commands.map((one) => one.name).join(', ')
    throw new UsageError(`unknown command "${wanted}": there are ${known}`, 'Run: kubectl berth --help')
  }
  const given = parseCommand(command, name === 'help' ? ['--help'] : rest)
  if (given.has('help')) {
    terminal.out(commandHelp(command))
    return
  }
  await command.run(given, contextOf(options, given, terminal, stop))
}

function contextOf(options: CliOptions, given: Given, terminal: Terminal, stop: AbortSignal): CommandContext {
  const choice = { kubeconfig: given.text('kubeconfig'), context: given.text('context') }
  const connect = (kubeconfig = choice.kubeconfig): Promise<Session> => options.connect({ ...choice, kubeconfig })
  return { terminal, stop, connect }
}
