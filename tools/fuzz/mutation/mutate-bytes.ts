import type { Choices } from './choices.ts'

/** Longest run of one repeated part: deep enough to overflow the stack of a recursive parser. */
const MAX_REPEATS = 4_096

/** Parts that a mutation may insert. */
export interface Parts {
  /** A text that the parser may expect. */
  readonly word: () => Uint8Array
  /** Another input of the corpus. */
  readonly other: () => Uint8Array
}

type Mutation = (input: Uint8Array, choices: Choices, parts: Parts) => Uint8Array

const join = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts))

/** Replaces `length` bytes at `at`. */
const splice = (input: Uint8Array, at: number, length: number, insert: Uint8Array): Uint8Array =>
  join(input.subarray(0, at), insert, input.subarray(at + length))

function range(input: Uint8Array, { below, chance }: Choices): { readonly at: number; readonly length: number } {
  const at = below(input.length + 1)
  const longest = input.length - at
  return { at, length: Math.min(longest, 1 + below(chance(0.8) ? 8 : longest)) }
}

const mutations: readonly Mutation[] = [
  (input, { below }) => {
    const copy = Uint8Array.from(input)
    const at = below(copy.length)
    if (copy.length > 0) copy[at] = (copy[at] ?? 0) ^ (1 << below(8))
    return copy
  },
  (input, { below }) => splice(input, below(input.length + 1), 1, Uint8Array.of(below(256))),
  (input, { below }) => splice(input, below(input.length + 1), 0, Uint8Array.of(32 + below(95))),
  (input, choices) => {
    const { at, length } = range(input, choices)
    return splice(input, at, length, new Uint8Array())
  },
  (input, choices) => {
    const { at, length } = range(input, choices)
    return splice(input, choices.below(input.length + 1), 0, input.subarray(at, at + length))
  },
  (input, { below }, { word }) => splice(input, below(input.length + 1), 0, word()),
  (input, choices, { word }) => {
    const { at, length } = range(input, choices)
    return splice(input, at, length, word())
  },
  (input, choices, { other }) => {
    const donor = other()
    const from = range(donor, choices)
    const to = range(input, choices)
    return splice(input, to.at, to.length, donor.subarray(from.at, from.at + from.length))
  },
  (input, { below }, { word }) => {
    const tokens = [...Buffer.from(input).toString('latin1').matchAll(/\w+/g)]
    const token = tokens[below(tokens.length)]
    return token === undefined ? word() : splice(input, token.index, token[0].length, word())
  },
  (input, { below }, { other }) => {
    const donor = other()
    return join(input.subarray(0, below(input.length + 1)), donor.subarray(below(donor.length + 1)))
  },
  (input, { below }) => {
    // Changes a digit, because most of the limits in a text are numbers.
    const digits = [...input.keys()].filter((at) => (input[at] ?? 0) >= 48 && (input[at] ?? 0) <= 57)
    const at = digits[below(digits.length)]
    return at === undefined ? input : splice(input, at, 1, Uint8Array.of(48 + below(10)))
  },
]

const repeat: Mutation = (input, choices, { word }) => {
  const { at, length } = range(input, choices)
  const part = choices.chance(0.5) ? word() : input.subarray(at, at + length)
  const times = 1 + choices.below(choices.chance(0.9) ? 16 : MAX_REPEATS)
  return splice(input, at, 0, join(...Array.from({ length: times }, () => part)))
}

/** Changes a few bytes of an input, which may make it longer or shorter. */
export function mutateBytes(input: Uint8Array, choices: Choices, parts: Parts): Uint8Array {
  const mutation = choices.chance(0.03) ? repeat : (choices.pick(mutations) ?? repeat)
  return mutation(input, choices, parts)
}
