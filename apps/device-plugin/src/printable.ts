/** Control and format characters (they move the cursor, or reorder text) and lone surrogates, except a line feed. */
const UNPRINTABLE = /[^\P{C}\n]|[\u2028\u2029]/gu

/**
 * Escapes the characters of a text that a terminal or a log viewer interprets, as `\u001b`. Names of host files and texts
 * of device sources may contain any. Line feeds stay.
 */
export function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, (match) =>
    match
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

/** Like {@link printable}, with line feeds escaped too. */
export function printableLine(text: string): string {
  return printable(text).replaceAll('\n', String.raw`\n`)
}
