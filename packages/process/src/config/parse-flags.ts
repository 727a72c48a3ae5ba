import { argumentProblems } from '../command/argument-problems.ts'
import { type FlagSyntax, readTokens } from '../command/read-tokens.ts'
import type { ConfigDefinition } from './define-config.ts'
import { flagName } from './flag-name.ts'
import { alternatives } from './json-schema.ts'
import type { JsonSchema } from './json-schema.ts'

/** The command line of a program with a configuration, not yet checked against its schema. */
export interface ParsedFlags {
  /** Key -> texts in the order given; a switch without a value is `true`. */
  readonly values: ReadonlyMap<string, readonly string[]>
  readonly positionals: readonly string[]
  /** Sentences without a full stop, each naming the flag or the argument. */
  readonly problems: readonly string[]
}

const exitFlags = ['help', 'version', 'printConfig'] as const

/** Returns whether a key is a switch, which takes a value only after `=`. */
export function isSwitch(schema: JsonSchema): boolean {
  return alternatives(schema).every(({ type }) => type === 'boolean')
}

/**
 * Reads the flags of a program. `help`, `version`, `printConfig` and, where a file is read, `config` are keys like those
 * of the schema.
 */
export function parseFlags(definition: ConfigDefinition, root: JsonSchema, argv: readonly string[]): ParsedFlags {
  const flags = flagKeys(definition, root)
  const { values: byFlag, words: positionals, problems } = readTokens(flags, argv)
  const values = new Map([...byFlag].map(([flag, texts]) => [flags.get(flag)?.key ?? flag, texts]))
  const isExit = exitFlags.some((key) => values.has(key))
  // Not after a wrong flag: a word may be the value of that flag.
  const strays = isExit || problems.length > 0 ? [] : argumentProblems(definition.positionals ?? [], positionals)
  return { values, positionals, problems: [...problems, ...strays] }
}

function flagKeys(
  { flags = {}, readsFile }: ConfigDefinition,
  root: JsonSchema,
): ReadonlyMap<string, FlagSyntax & { readonly key: string }> {
  const own = Object.entries(root.properties ?? {}).map(
    ([key, schema]) => [flagName(key), { key, short: flags[key]?.short, isSwitch: isSwitch(schema) }] as const,
  )
  const exits = exitFlags.map(
    (key) => [flagName(key), { key, short: key === 'help' ? 'h' : undefined, isSwitch: true }] as const,
  )
  const file = readsFile ? [['config', { key: 'config', short: undefined, isSwitch: false }] as const] : []
  return new Map([...own, ...file, ...exits])
}
