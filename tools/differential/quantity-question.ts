import type { Choices } from './random.ts'

const suffixes = ['', '', '', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'P', 'E', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']
const invalidTexts = [
  '',
  ' ',
  '+',
  '-',
  '.',
  'e',
  'E3',
  'Kib',
  '0x1',
  '1_000',
  'NaN',
  'Inf',
  '--1',
  '1.2.3',
  '1 Gi',
  'ki',
  '1ei',
  '５',
]
/** The last three overflow: an exponent has 32 bits. */
const hugeExponents = ['40', '308', '2000', '4294967296', '4294967299', '99999999999999999999']
const limitTexts = [
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775808',
  '18446744073709551616',
  '0.0000000001',
]

/** Generates a question of kind `quantity`: a text to parse, a JSON value to decode, or an operation. */
export function quantityQuestion(choices: Choices): unknown {
  const roll = choices.number()
  if (roll < 0.45) return { s: quantityText(choices) }
  if (roll < 0.6) {
    const text = quantityText(choices)
    return { json: choices.chance(0.5) ? JSON.stringify(text) : text }
  }
  const op = choices.pick(['add', 'sub', 'neg', 'cmp', 'equal', 'mul', 'roundUp', 'scaledValue'])
  const a = validText(choices)
  if (op === 'neg') return { op, a }
  if (op === 'mul') return { op, a, n: choices.pick([0, 1, -1, 2, 3, 10, 1000, -7, 1_000_000]) }
  if (op === 'roundUp' || op === 'scaledValue') return { op, a, n: choices.pick([-9, -6, -3, 0, 3, 6, 9]) }
  return { op, a, b: validText(choices) }
}

/** Returns a realistic quantity or an almost valid text. */
export function quantityText(choices: Choices): string {
  const roll = choices.number()
  if (roll < 0.1) return choices.pick(invalidTexts)
  if (roll < 0.2) return choices.pick(limitTexts) + choices.pick(suffixes)
  return validText(choices)
}

function validText(choices: Choices): string {
  const sign = choices.pick(['', '', '', '', '-', '+'])
  const digits = (most: number): string =>
    choices.list(1, choices.integer(1, most), () => String(choices.integer(0, 9))).join('')
  const whole = choices.chance(0.9) ? digits(choices.pick([1, 2, 4, 10, 20, 45])) : ''
  const fraction = choices.chance(0.35) || whole === '' ? `.${digits(choices.pick([1, 2, 4, 12]))}` : ''
  const exponent = (): string =>
    choices.pick(['e', 'E']) +
    choices.pick(['', '+', '-']) +
    (choices.chance(0.95) ? String(choices.integer(0, 24)) : choices.pick(hugeExponents))
  return sign + whole + fraction + (choices.chance(0.15) ? exponent() : choices.pick(suffixes))
}
