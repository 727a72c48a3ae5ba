/**
 * Returns whether a text matches a pattern in which `*` stands for any text and `?` for one character. Upper and lower case
 * count as equal, because programs print identifiers of hardware in both.
 */
export function matchesPattern(text: string, pattern: string): boolean {
  const escaped = pattern.replaceAll(/[\\^$.+()|[\]{}]/g, String.raw`\$&`)
  return new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, 'isu').test(text)
}

/** Returns whether a text matches one of the patterns; true without patterns. */
export function matchesAny(text: string, patterns: readonly string[] | undefined): boolean {
  return patterns === undefined || patterns.some((pattern) => matchesPattern(text, pattern))
}

/** Returns whether two hexadecimal identifiers are equal: `0x0403`, `0403` and `403` are. */
export function isSameHex(one: string | undefined, other: string): boolean {
  return one !== undefined && Number.parseInt(one, 16) === Number.parseInt(other, 16)
}
