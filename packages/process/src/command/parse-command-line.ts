import { argumentProblems } from './argument-problems.ts'
import type { CommandDefinition, FlagDefinition } from './command-definition.ts'
import { readTokens } from './read-tokens.ts'

/** The flags and arguments that were given. */
export interface CommandLine {
  /** Arguments in the order given. */
  readonly words: readonly string[]
  /** Returns the last value of a flag; undefined when it was not given. */
  text(flag: string): string | undefined
  /** Returns every value of a repeatable flag. */
  texts(flag: string): readonly string[]
  /** Returns the value of a flag that has a range; undefined when it was not given. */
  number(flag: string): number | undefined
  /** Returns whether a switch was given. */
  has(flag: string): boolean
}

/** A command line with everything that is wrong with it. */
export interface ParsedCommandLine {
  readonly line: CommandLine
  readonly isHelp: boolean
  /** Sentences without a full stop. */
  readonly problems: readonly string[]
}

export const helpFlag: FlagDefinition = { name: 'help', short: 'h', description: 'Print this text and exit.' }

/** Reads what follows the name of a command. A request for help has no problems. */
export function parseCommandLine(
  { flags: own, arguments: definitions = [] }: Pick<CommandDefinition, 'flags' | 'arguments'>,
  argv: readonly string[],
): ParsedCommandLine {
  const flags = [...own, helpFlag]
  const syntax = new Map(
    flags.map(({ name, short, placeholder }) => [name, { short, isSwitch: placeholder === undefined }]),
  )
  const { values, words, problems } = readTokens(syntax, argv)
  const isGiven = (flag: string): boolean => (values.get(flag)?.at(-1) ?? 'false') !== 'false'
  const texts = (flag: string): readonly string[] =>
    syntax.get(flag)?.isSwitch === false ? (values.get(flag) ?? []) : []
  const line: CommandLine = {
    words,
    text: (flag) => texts(flag).at(-1),
    texts,
    number(flag) {
      const text = texts(flag).at(-1)
      return text === undefined ? undefined : Number(text)
    },
    has: isGiven,
  }
  if (isGiven('help')) return { line, isHelp: true, problems: [] }
  const wrong = flags.flatMap((flag) =>
    (values.get(flag.name) ?? []).flatMap((value) => valueProblem(flag, value) ?? []),
  )
  // Not after a wrong flag: a word may be the value of that flag.
  const strays = problems.length > 0 ? [] : argumentProblems(definitions, words)
  return { line, isHelp: false, problems: [...problems, ...wrong, ...strays] }
}

function valueProblem({ name, placeholder, choices, range }: FlagDefinition, value: string): string | undefined {
  const given = `--${name} ${value}`
  if (placeholder === undefined)
    return value === 'true' || value === 'false' ? undefined : `${given}: expected true or false`
  if (choices?.includes(value) === false) return `${given}: expected one of ${choices.join(', ')}`
  if (range === undefined) return undefined
  const { min, max } = range
  const isInRange = /^\d+$/.test(value) && Number(value) >= min && Number(value) <= max
  return isInRange ? undefined : `${given}: expected a whole number from ${min} to ${max}`
}
