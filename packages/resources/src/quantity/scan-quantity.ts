/** A quantity text split into its parts. */
export interface ScannedQuantity {
  readonly isNegative: boolean
  /** Sign, digits and decimal point as written. */
  readonly number: string
  /** Integer digits without leading zeros; "0" when there are no others. */
  readonly integer: string
  /** Digits after the decimal point. */
  readonly fraction: string
  readonly suffix: string
}

const SUFFIX_LETTERS = 'eEinumkKMGTP'

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

function skip(text: string, from: number, accepts: (code: number) => boolean): number {
  let at = from
  while (at < text.length && accepts(text.charCodeAt(at))) at += 1
  return at
}

/**
 * Splits a text like `parseQuantityString` of apimachinery (v1.36). Returns undefined for its format error. Like
 * upstream, it accepts a sign, a decimal point or a suffix without any digit.
 */
export function scanQuantity(text: string): ScannedQuantity | undefined {
  const isNegative = text.startsWith('-')
  const afterSign = isNegative || text.startsWith('+') ? 1 : 0
  const afterZeros = skip(text, afterSign, (code) => code === 48)
  // Upstream drops the zeros here, which matters for a text of zeros only.
  if (afterZeros === text.length) return { isNegative, number: '0', integer: '0', fraction: '', suffix: '' }

  const afterInteger = skip(text, afterZeros, isDigit)
  const integer = text.slice(afterZeros, afterInteger) || '0'
  const hasPoint = text[afterInteger] === '.'
  const afterNumber = hasPoint ? skip(text, afterInteger + 1, isDigit) : afterInteger
  const fraction = hasPoint ? text.slice(afterInteger + 1, afterNumber) : ''

  const afterLetters = skip(text, afterNumber, (code) => SUFFIX_LETTERS.includes(String.fromCharCode(code)))
  const hasExponentSign = text[afterLetters] === '+' || text[afterLetters] === '-'
  const end = skip(text, hasExponentSign ? afterLetters + 1 : afterLetters, isDigit)
  if (end < text.length) return undefined
  return {
    isNegative,
    number: text.slice(0, afterNumber),
    integer,
    fraction,
    suffix: text.slice(afterNumber),
  }
}
