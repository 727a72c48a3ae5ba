import type { Clock, Random } from '@berth/types'

/** RFC 3339 in UTC with whole seconds, as `meta/v1.Time`. */
export function timestamp(clock: Clock, offsetMs = 0): string {
  return `${new Date(clock.now() + offsetMs).toISOString().slice(0, 19)}Z`
}

/** A version 4 UUID out of the injected randomness. */
export function createUid(random: Random): string {
  const digits = Array.from({ length: 32 }, () => Math.floor(random() * 16))
  digits[12] = 4
  digits[16] = ((digits[16] ?? 0) & 3) | 8
  const hex = digits.map((digit) => digit.toString(16)).join('')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

// Letters and digits that form no words, as upstream's name generator has them.
const SUFFIX_CHARACTERS = 'bcdfghjklmnpqrstvwxz2456789'

/** Random text of letters and digits that is safe in names. */
export function createSuffix(random: Random, length: number): string {
  return Array.from({ length }, () => SUFFIX_CHARACTERS[Math.floor(random() * SUFFIX_CHARACTERS.length)]).join('')
}
