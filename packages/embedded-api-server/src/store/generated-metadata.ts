import type { Clock, Random } from '@berth/types'

/** Returns the time plus `offsetMs` in the format of `meta/v1.Time`: RFC 3339 in UTC with whole seconds. */
export function timestamp(clock: Clock, offsetMs = 0): string {
  return `${new Date(clock.now() + offsetMs).toISOString().slice(0, 19)}Z`
}

/** Returns a version 4 UUID from the injected randomness. */
export function createUid(random: Random): string {
  const digits = Array.from({ length: 32 }, () => Math.floor(random() * 16))
  digits[12] = 4
  digits[16] = ((digits[16] ?? 0) & 3) | 8
  const hex = digits.map((digit) => digit.toString(16)).join('')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

// As in upstream's name generator: letters and digits that cannot form words.
const SUFFIX_CHARACTERS = 'bcdfghjklmnpqrstvwxz2456789'

/** Returns random letters and digits that are valid in names. */
export function createSuffix(random: Random, length: number): string {
  return Array.from({ length }, () => SUFFIX_CHARACTERS[Math.floor(random() * SUFFIX_CHARACTERS.length)]).join('')
}
