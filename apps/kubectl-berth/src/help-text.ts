import type { Command, Flag } from './command.ts'
import { flagsOf } from './parse-command.ts'
import { widthOf, wrapText } from './align-columns.ts'

const WIDTH = 80
const GAP = 3

/** Help of the whole program. */
export function programHelp(commands: readonly Command[]): string {
  const rows = commands.map(({ name, summary }) => [`  ${name}`, summary] as const)
  return [
    'kubectl berth: what a cluster offers, who holds it, and why a pod does not fit.',
    '',
    'Usage: kubectl berth COMMAND [flags]',
    '',
    'Commands:',
    ...hangingRows(rows),
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
    ...wrapText(command.summary, WIDTH),
    '',
    ...wrapText(`Usage: kubectl berth ${command.usage}`, WIDTH).map((line, index) =>
      index === 0 ? line : `       ${line}`,
    ),
    '',
    'Flags:',
    ...hangingRows(flagsOf(command).map((flag) => [`  ${flagForm(flag)}`, flag.description])),
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

/** Two columns; the second is broken into lines that start under each other. */
function hangingRows(rows: readonly (readonly [string, string])[]): string[] {
  const indent = Math.max(...rows.map(([form]) => widthOf(form))) + GAP
  return rows.flatMap(([form, description]) =>
    wrapText(description, WIDTH - indent).map((line, index) => (index === 0 ? form : '').padEnd(indent) + line),
  )
}
