import { fitsInt64 } from './arithmetic/int64.ts'

/** The notation in which a quantity prints; empty for a quantity decoded from a JSON null. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent' | ''

/** A parsed suffix: the factor base^exponent and the format that the quantity keeps. */
export interface Suffix {
  readonly base: 2 | 10
  readonly exponent: number
  readonly format: QuantityFormat
}

const DECIMAL: ReadonlyMap<string, number> = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
])

const BINARY: ReadonlyMap<string, number> = new Map([
  ['Ki', 10],
  ['Mi', 20],
  ['Gi', 30],
  ['Ti', 40],
  ['Pi', 50],
  ['Ei', 60],
])

const inverted = (table: ReadonlyMap<string, number>): ReadonlyMap<number, string> =>
  new Map([...table].map(([suffix, exponent]) => [exponent, suffix]))

const DECIMAL_BY_EXPONENT = inverted(DECIMAL)
const BINARY_BY_EXPONENT = inverted(BINARY)

/** Parses a suffix. Returns undefined for one that Kubernetes does not know. */
export function parseSuffix(suffix: string): Suffix | undefined {
  const decimal = DECIMAL.get(suffix)
  if (decimal !== undefined) return { base: 10, exponent: decimal, format: 'DecimalSI' }
  const binary = BINARY.get(suffix)
  if (binary !== undefined) return { base: 2, exponent: binary, format: 'BinarySI' }
  if (!/^[eE][+-]?[0-9]+$/.test(suffix)) return undefined
  const exponent = BigInt(suffix.slice(1).replace('+', ''))
  if (!fitsInt64(exponent)) return undefined
  // Go truncates the exponent to 32 bits, so 1e4294967296 is 1.
  return { base: 10, exponent: Number(BigInt.asIntN(32, exponent)), format: 'DecimalExponent' }
}

/** Returns the suffix for 10^exponent. Like upstream, it is empty for an exponent without a DecimalSI suffix. */
export function decimalSuffix(exponent: number, format: QuantityFormat): string {
  if (format === 'DecimalSI') return DECIMAL_BY_EXPONENT.get(exponent) ?? ''
  return exponent === 0 ? '' : `e${exponent}`
}

/** Returns the suffix for 2^exponent. Like upstream, it is empty beyond Ei. */
export function binarySuffix(exponent: number): string {
  return BINARY_BY_EXPONENT.get(exponent) ?? ''
}
