import type { ExitRequest } from '../exit-request.ts'
import { printExitRequest } from '../print-exit-request.ts'
import type { CommandDefinition } from './command-definition.ts'
import type { CommandLine } from './parse-command-line.ts'
import { readCommandLine } from './read-command-line.ts'

/**
 * Returns the command line of a script. For `--help` or a mistake, prints the help or the error and ends the process
 * instead.
 */
export function commandLineOrExit(definition: CommandDefinition, argv: readonly string[]): CommandLine {
  const read = readCommandLine(definition, argv)
  return read.kind === 'run' ? read.line : exitAs(read)
}

/** Prints a text and ends the process with the code that belongs to it. */
export function exitAs(request: ExitRequest): never {
  printExitRequest(request)
  process.exit(request.code)
}
