import type { ArgumentDefinition, CommandDefinition, FlagDefinition } from './command-definition.ts'
import { helpFlag } from './parse-command-line.ts'
import { renderHelp } from './render-help.ts'

/**
 * Returns the help of a program or command.
 *
 * @param columns - Width of the terminal. Default: 80.
 */
export function commandHelp(definition: CommandDefinition, columns?: number): string {
  const { name, summary, arguments: words = [], flags, examples, notes } = definition
  const usage = definition.usage ?? [`[flags]${words.map((word) => ` ${argumentForm(word)}`).join('')}`]
  const page = {
    summary,
    usage: usage.map((form) => `${name} ${form}`),
    arguments: words.map((word) => ({ head: argumentForm(word), text: describedWith(word.description, word.choices) })),
    examples,
    flags: [...flags, helpFlag].map((flag) => ({ head: flagForm(flag), text: flag.description })),
    ...(notes !== undefined && { notes }),
  }
  return renderHelp(page, columns)
}

function argumentForm({ name, isRequired = false, isRepeatable = false }: ArgumentDefinition): string {
  const form = `${name}${isRepeatable ? '...' : ''}`
  return isRequired ? form : `[${form}]`
}

function flagForm({ name, short, placeholder, choices, isRepeatable = false }: FlagDefinition): string {
  const value = placeholder === undefined ? '' : ` ${choices?.join('|') ?? placeholder}`
  return `${short === undefined ? '' : `-${short}, `}--${name}${value}${isRepeatable ? ' ...' : ''}`
}

function describedWith(description: string, choices: readonly string[] | undefined): string {
  return choices === undefined ? description : `${description} One of ${choices.join(', ')}.`
}
