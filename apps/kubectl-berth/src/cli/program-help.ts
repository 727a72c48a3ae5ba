import { renderHelp } from '@berth/process/command'
import type { Command } from './command.ts'

/** Returns the help of the whole program. */
export function programHelp(commands: readonly Command[], columns: number): string {
  const page = {
    summary: 'Shows what a cluster offers, which pods hold it, and why a pod does not fit.',
    usage: ['kubectl berth COMMAND [flags]'],
    commands: commands.map(({ name, summary }) => ({ head: name, text: summary })),
    examples: commands.flatMap(({ examples }) => examples.slice(0, 1)),
    notes: [
      'Run kubectl berth COMMAND --help, or kubectl berth help COMMAND, for the flags of a command.',
      "Exit codes: 0 success, 1 failure (also of a plugin's checks), 2 wrong command line or configuration, 130 interrupted.",
    ],
  }
  return renderHelp(page, columns)
}
