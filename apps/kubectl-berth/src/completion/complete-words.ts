import { type CommandLine, type FlagDefinition, parseCommandLine } from '@berth/process/command'
import type { Command } from '../cli/command.ts'
import { commandDefinition } from '../cli/command-definition.ts'
import type { Candidates } from '../cli/candidates.ts'

/** One offer of completion. */
export interface Offer {
  readonly value: string
  readonly description?: string
}

/** What completion offers: known offers, or candidates that must be looked up. */
export type Completion =
  | { readonly kind: 'offers'; readonly offers: readonly Offer[] }
  | {
      readonly kind: 'lookup'
      readonly candidates: Candidates
      /** Flags and arguments before the word: they choose the cluster and the namespace. */
      readonly line: CommandLine
      /** The word to complete, without the name of its flag. */
      readonly word: string
    }

const candidatesByFlag: ReadonlyMap<string, Candidates> = new Map<string, Candidates>([
  ['add-node', 'nodes'],
  ['context', 'contexts'],
  ['drain', 'nodes'],
  ['group-by', 'node-labels'],
  ['namespace', 'namespaces'],
  ['remove-node', 'nodes'],
])

const candidatesByPlaceholder: ReadonlyMap<string, Candidates> = new Map<string, Candidates>([
  ['CONFIG', 'files'],
  ['DIR', 'directories'],
  ['FILE', 'files'],
  ['KUBECONFIG', 'files'],
])

/**
 * Returns what can stand at the place of the last word: commands, flags, values or arguments.
 *
 * @param words - The words after `kubectl berth`. The last one is to be completed, and may be empty.
 */
export function completeWords(commands: readonly Command[], words: readonly string[]): Completion {
  const before = words[0] === 'help' ? words.slice(1, -1) : words.slice(0, -1)
  const word = words.at(-1) ?? ''
  const command = commands.find(({ name }) => startsWith(before, name.split(' ')))
  if (command === undefined || words[0] === 'help') return commandNames(commands, before, words[0] !== 'help')
  const definition = commandDefinition(command)
  const given = before.slice(command.name.split(' ').length)
  const open = given.at(-1) ?? ''
  const flagBefore = definition.flags.find((flag) => takesValue(flag) && isFlag(flag, open))
  const { line } = parseCommandLine(definition, flagBefore === undefined ? given : given.slice(0, -1))
  if (flagBefore !== undefined) return valuesOf(flagBefore, line, word)
  const [flagName = '', ...value] = word.split('=')
  const assigned = value.length === 0 ? undefined : definition.flags.find((flag) => isFlag(flag, flagName))
  if (assigned !== undefined) return valuesOf(assigned, line, value.join('='))
  if (word.startsWith('-')) return offersOf(definition.flags.filter((flag) => isOpen(flag, line)).map(flagOffer))
  return argumentsOf(command, line, word)
}

function argumentsOf(command: Command, line: CommandLine, word: string): Completion {
  const { completes = ['choices'], arguments: definitions = [] } = command
  const position = line.words.length
  const candidates = completes[Math.min(position, completes.length - 1)] ?? 'nothing'
  if (candidates !== 'choices') return { kind: 'lookup', candidates, line, word }
  return offersOf((definitions[position]?.choices ?? []).map((value) => ({ value })))
}

function valuesOf(flag: FlagDefinition, line: CommandLine, word: string): Completion {
  if (flag.choices !== undefined) return offersOf(flag.choices.map((value) => ({ value })))
  const [placeholder = ''] = (flag.placeholder ?? '').split('=')
  const candidates = candidatesByFlag.get(flag.name) ?? candidatesByPlaceholder.get(placeholder) ?? 'nothing'
  return { kind: 'lookup', candidates, line, word }
}

/** Offers the next word of each command. */
function commandNames(commands: readonly Command[], before: readonly string[], isTop: boolean): Completion {
  const offers = new Map(
    commands.flatMap(({ name, summary }) => {
      const parts = name.split(' ')
      const next = parts[before.length]
      if (next === undefined || !startsWith(parts, before)) return []
      const isGroup = parts.length > before.length + 1
      return [[next, { value: next, ...(!isGroup && { description: firstSentence(summary) }) }] as const]
    }),
  )
  const more = isTop && before.length === 0 ? [{ value: 'help' }, { value: 'version' }] : []
  return offersOf([...offers.values(), ...more])
}

function startsWith(words: readonly string[], start: readonly string[]): boolean {
  return start.every((word, index) => words[index] === word)
}

function takesValue({ placeholder }: FlagDefinition): boolean {
  return placeholder !== undefined
}

function isFlag({ name, short }: FlagDefinition, word: string): boolean {
  return word === `--${name}` || (short !== undefined && word === `-${short}`)
}

/** Returns whether a flag may be given (again). */
function isOpen({ name, isRepeatable = false }: FlagDefinition, line: CommandLine): boolean {
  return isRepeatable || !(line.has(name) || line.text(name) !== undefined)
}

function flagOffer({ name, description }: FlagDefinition): Offer {
  return { value: `--${name}`, description: firstSentence(description) }
}

function firstSentence(text: string): string {
  return /^.*?\.(?= |$)/.exec(text)?.[0] ?? text
}

function offersOf(offers: readonly Offer[]): Completion {
  return { kind: 'offers', offers }
}
