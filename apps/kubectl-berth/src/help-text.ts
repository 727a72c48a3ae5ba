import type { Command, Flag } from './command.ts'
import { flagsOf } from './parse-command.ts'
import { alignColumns } from './align-columns.ts'

/** Help of the whole program. */
export function programHelp(commands: readonly Command[]): string {
  const rows = commands.map(({ name, summary }) => [`  ${name}`, summary])
  return [
    'kubectl berth: what a cluster offers, who holds it, and why a pod does not fit.',
    '',
    'Usage: kubectl berth COMMAND [flags]',
    '',
    'Commands:',
    ...alignColumns(rows),
    '',
    'Examples:',
    ...commands.flatMap(({ examples }) => exampleLines(examples.slice(0, 1))),
    '',
    'kubectl berth COMMAND --help explains one command.',
    '',
  ].join('\n')
}

/** Help of one command. */
export function commandHelp(command: Command): string {
  return [
    command.summary,
    '',
    `Usage: kubectl berth ${command.usage}`,
    '',
    'Flags:',
    ...alignColumns(flagsOf(command).map((flag) => [`  ${flagForm(flag)}`, flag.description])),
    '',
    'Examples:',
    ...exampleLines(command.examples),
    '',
  ].join('\n')
}

function flagForm({ name, short, placeholder, choices, isRepeatable }: Flag): string {
  const value = placeholder === undefined ? '' : ` ${choices?.join('|') ?? placeholder}`
  return `${short === undefined ? '    ' : `-${short}, `}--${name}${value}${isRepeatable === true ? ' ...' : ''}`
}

function exampleLines(examples: Command['examples']): string[] {
  return examples.flatMap(({ command, description }) => [`  # ${description}`, `  ${command}`])
}
