import { nearestName } from '@berth/text/nearest-name'
import { parseArgs } from 'node:util'
import type { ConfigDefinition } from './define-config.ts'
import { flagName } from './flag-name.ts'
import { alternatives } from './json-schema.ts'
import type { JsonSchema } from './json-schema.ts'

/** What the command line says, not yet checked against the schema. */
export interface ParsedFlags {
  /** Key -> texts in the order given; a boolean without a value is `true`. */
  readonly values: ReadonlyMap<string, readonly string[]>
  readonly positionals: readonly string[]
  /** Sentences, each naming the flag. */
  readonly problems: readonly string[]
}

const commands = ['help', 'version', 'printConfig'] as const

/** Whether a key is a switch, which takes a value only after `=`. */
export function isSwitch(schema: JsonSchema): boolean {
  return alternatives(schema).every(({ type }) => type === 'boolean')
}

/**
 * Takes a command line apart: `--key value`, `--key=value`, `--switch`, `--no-switch`, `--switch=false`, `-k value`.
 * `help`, `version`, `printConfig` and, where a file is read, `config` are keys here too.
 */
export function parseFlags(definition: ConfigDefinition, root: JsonSchema, argv: readonly string[]): ParsedFlags {
  const keys = flagKeys(definition, root)
  const { tokens } = parseArgs({
    args: [...argv],
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: Object.fromEntries(
      [...keys].map(([flag, { short, isBoolean }]) => [
        flag,
        { type: isBoolean ? 'boolean' : 'string', ...(short !== undefined && { short }) },
      ]),
    ),
  })
  const values = new Map<string, string[]>()
  const positionals: string[] = []
  const problems: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    const negated =
      token.name.startsWith('no-') && token.value === undefined ? keys.get(token.name.slice(3)) : undefined
    const known = keys.get(token.name)
    if (known === undefined && negated?.isBoolean === true) {
      values.set(negated.key, ['false'])
    } else if (known === undefined) {
      problems.push(unknownFlag(token.rawName, keys.keys()))
    } else if (!known.isBoolean && isMissing(token)) {
      problems.push(`${token.rawName}: a value must follow`)
    } else {
      values.set(known.key, [...(values.get(known.key) ?? []), token.value ?? 'true'])
    }
  }
  // A word may be the value of the flag that nobody knows.
  const strays = problems.length > 0 ? [] : positionalProblems(definition, values, positionals)
  return { values, positionals, problems: [...problems, ...strays] }
}

// `--key --other` forgot the value; one that begins with dashes is written `--key=--value`.
function isMissing({
  value,
  inlineValue,
}: {
  readonly value?: string | undefined
  readonly inlineValue?: boolean | undefined
}): boolean {
  return value === undefined || (inlineValue !== true && value.startsWith('--'))
}

interface FlagKey {
  readonly key: string
  readonly short: string | undefined
  readonly isBoolean: boolean
}

function flagKeys({ flags = {}, readsFile }: ConfigDefinition, root: JsonSchema): ReadonlyMap<string, FlagKey> {
  const keys = new Map<string, FlagKey>()
  for (const [key, schema] of Object.entries(root.properties ?? {})) {
    keys.set(flagName(key), { key, short: flags[key]?.short, isBoolean: isSwitch(schema) })
  }
  if (readsFile) keys.set('config', { key: 'config', short: undefined, isBoolean: false })
  for (const key of commands) {
    keys.set(flagName(key), { key, short: key === 'help' ? 'h' : undefined, isBoolean: true })
  }
  return keys
}

function unknownFlag(rawName: string, flags: Iterable<string>): string {
  const nearest = rawName.startsWith('--') ? nearestName(rawName.slice(2), flags) : undefined
  return `${rawName}: no such flag${nearest === undefined ? '' : `; did you mean --${nearest}?`}`
}

function positionalProblems(
  { positionals: definitions = [] }: ConfigDefinition,
  values: ReadonlyMap<string, unknown>,
  positionals: readonly string[],
): readonly string[] {
  if (commands.some((command) => values.has(command))) return []
  const problems = positionals
    .slice(definitions.length)
    .map((word) => `"${word}": ${definitions.length === 0 ? 'only flags are expected' : 'one word too many'}`)
  for (const [index, { name, isRequired = false, choices }] of definitions.entries()) {
    const word = positionals[index]
    if (word === undefined) {
      if (isRequired) problems.push(`${name}: it is missing on the command line`)
    } else if (choices !== undefined && !choices.includes(word)) {
      const nearest = nearestName(word, choices)
      const suggestion = nearest === undefined ? '' : `; did you mean ${nearest}?`
      problems.push(`"${word}": ${name} must be one of ${choices.join(', ')}${suggestion}`)
    }
  }
  return problems
}
