import { basename } from 'node:path'
import { COMPLETE } from './completion-context.ts'

/** Names under which the program runs one command, as kubectl finds plugins by their names. */
const commandByProgram: ReadonlyMap<string, string> = new Map([
  ['kubectl-brief', 'brief'],
  ['kubectl_complete-berth', COMPLETE],
])

/**
 * Returns the words of the command line: those after the program, and before them the command that the name of the
 * program stands for.
 *
 * @param argv - As `process.argv`: the runtime, the program, and its words.
 */
export function commandWords([, program = '', ...words]: readonly string[]): readonly string[] {
  const command = commandByProgram.get(basename(program).replace(/\.(?:[cm]?js|exe)$/i, ''))
  return command === undefined ? words : [command, ...words]
}
