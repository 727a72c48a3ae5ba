import { nearestName } from '@berth/text/nearest-name'
import { parseArgs } from 'node:util'

/** The syntax of one flag. */
export interface FlagSyntax {
  readonly short?: string | undefined
  /** A switch takes a value only after `=`. */
  readonly isSwitch: boolean
}

/** A command line taken apart, with values not yet checked. */
export interface Tokens {
  /** Flag -> texts in the order given; a switch without a value is `true`. */
  readonly values: ReadonlyMap<string, readonly string[]>
  readonly words: readonly string[]
  /** Sentences without a full stop, each naming the flag. */
  readonly problems: readonly string[]
}

/**
 * Takes a command line apart: `--flag value`, `--flag=value`, `--switch`, `--no-switch`, `--switch=false`, `-f value`,
 * `-f=value`.
 *
 * @param flags - By long name, without dashes.
 */
export function readTokens(flags: ReadonlyMap<string, FlagSyntax>, argv: readonly string[]): Tokens {
  const { tokens } = parseArgs({
    args: [...argv],
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: Object.fromEntries(
      [...flags].map(([name, { short, isSwitch }]) => [
        name,
        { type: isSwitch ? 'boolean' : 'string', ...(short !== undefined && { short }) },
      ]),
    ),
  })
  const values = new Map<string, string[]>()
  const words: string[] = []
  const problems: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value)
    if (token.kind !== 'option') continue
    const { name } = token
    const value = withoutEquals(token)
    const known = flags.get(name)
    const negated = value === undefined && name.startsWith('no-') ? name.slice(3) : ''
    if (known === undefined && flags.get(negated)?.isSwitch === true) values.set(negated, ['false'])
    else if (known === undefined) problems.push(unknownFlag(token.rawName, flags.keys()))
    else if (!known.isSwitch && isMissing(token)) problems.push(`${token.rawName} needs a value`)
    else values.set(name, [...(values.get(name) ?? []), value ?? 'true'])
  }
  return { values, words, problems }
}

/** Returns `; did you mean NAME?` when one of the names is similar to the text; otherwise an empty text. */
export function suggestion(text: string, names: Iterable<string>, prefix = ''): string {
  const nearest = nearestName(text, names)
  return nearest === undefined ? '' : `; did you mean ${prefix}${nearest}?`
}

function unknownFlag(rawName: string, flags: Iterable<string>): string {
  return `unknown flag ${rawName}${rawName.startsWith('--') ? suggestion(rawName.slice(2), flags, '--') : ''}`
}

// `parseArgs` reads `-f=value` as the value `=value`; kubectl and kube-scheduler read it as `-f value`.
function withoutEquals({
  rawName,
  value,
  inlineValue,
}: {
  readonly rawName: string
  readonly value?: string | undefined
  readonly inlineValue?: boolean | undefined
}): string | undefined {
  const isShort = !rawName.startsWith('--') && inlineValue === true
  return isShort && value?.startsWith('=') === true ? value.slice(1) : value
}

// `--flag --other` lacks the value. A value that begins with two dashes is written `--flag=--value`.
function isMissing(token: {
  readonly value?: string | undefined
  readonly inlineValue?: boolean | undefined
}): boolean {
  return token.value === undefined || (token.inlineValue !== true && token.value.startsWith('--'))
}
