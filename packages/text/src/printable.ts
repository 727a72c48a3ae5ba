import { stripVTControlCharacters } from 'node:util'

/** Control characters except line feeds and tabs, line separators, and characters that change the direction of text. */
const UNPRINTABLE = /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u
const everyUnprintable = new RegExp(UNPRINTABLE, 'gu')

/** Returns whether a text holds a character that a terminal may interpret instead of showing it. */
export function isUnprintable(text: string): boolean {
  return UNPRINTABLE.test(text)
}

/** Removes escape sequences and the characters that {@link isUnprintable} finds. Lines and tabs stay. */
export function printableText(text: string): string {
  return stripVTControlCharacters(text).replaceAll(everyUnprintable, '')
}

/** Returns {@link printableText} as one line: each run of control characters and line breaks becomes a space. */
export function printableLine(text: string): string {
  return printableText(stripVTControlCharacters(text).replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '))
}

/**
 * Escapes as `\uXXXX` the characters that {@link isUnprintable} finds.
 *
 * @param json - JSON, or YAML whose strings with such characters are double-quoted. The parsed value stays the same.
 */
export function escapeUnprintable(json: string): string {
  return json.replaceAll(everyUnprintable, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
