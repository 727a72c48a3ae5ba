import type { ExitRequest } from '../exit-request.ts'
import type { CommandDefinition } from './command-definition.ts'
import { commandHelp } from './command-help.ts'
import { type CommandLine, parseCommandLine } from './parse-command-line.ts'

/** A command line that can be carried out. */
export interface ReadCommandLine {
  readonly kind: 'run'
  readonly line: CommandLine
}

/**
 * Reads the command line of a program.
 *
 * @returns The command line, or what to print and exit with: 0 for `--help`, 2 with one line for a mistake.
 */
export function readCommandLine(definition: CommandDefinition, argv: readonly string[]): ReadCommandLine | ExitRequest {
  const { line, isHelp, problems } = parseCommandLine(definition, argv)
  if (isHelp) return { kind: 'exit', code: 0, text: commandHelp(definition) }
  return problems.length === 0 ? { kind: 'run', line } : refuseCommandLine(definition, problems.join('; '))
}

/**
 * Returns how a program ends when its command line is wrong.
 *
 * @param problem - A sentence without a full stop.
 */
export function refuseCommandLine({ name }: Pick<CommandDefinition, 'name'>, problem: string): ExitRequest {
  return { kind: 'exit', code: 2, text: `${problem}${problem.endsWith('?') ? '' : '.'} Run: ${name} --help\n` }
}
