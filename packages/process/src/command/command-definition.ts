/** One flag of a program or command. */
export interface FlagDefinition {
  /** Long name without dashes. */
  readonly name: string
  /** One letter: `n` makes `-n`. */
  readonly short?: string
  /** Stands for the value in the help: `FILE`. Omit for a switch, which takes no value. */
  readonly placeholder?: string
  readonly isRepeatable?: boolean
  /** The only values that are accepted. */
  readonly choices?: readonly string[]
  /** The value is a whole number in this range, both ends included. */
  readonly range?: { readonly min: number; readonly max: number }
  readonly description: string
}

/** One argument besides the flags. */
export interface ArgumentDefinition {
  /** As the help shows it: `NAME`. */
  readonly name: string
  readonly description: string
  /** Default: false. Required ones come first. */
  readonly isRequired?: boolean
  /** Takes every further argument too; only the last one may. */
  readonly isRepeatable?: boolean
  /** The only values that are accepted. */
  readonly choices?: readonly string[]
}

/** A command line and what it does. */
export interface Example {
  readonly command: string
  readonly description: string
}

/** The command line of one program or command: the parser and the help read it. */
export interface CommandDefinition {
  /** Text before flags and arguments: `kubectl berth explain`, `npm run e2e --`. */
  readonly name: string
  /** One or two sentences about what the command does. */
  readonly summary: string
  /** Forms of use, without the name. Default: made from flags and arguments. */
  readonly usage?: readonly string[]
  readonly arguments?: readonly ArgumentDefinition[]
  /** `--help` is added to each command. */
  readonly flags: readonly FlagDefinition[]
  /** At least one. */
  readonly examples: readonly Example[]
  /** Paragraphs at the end of the help. */
  readonly notes?: readonly string[]
}
