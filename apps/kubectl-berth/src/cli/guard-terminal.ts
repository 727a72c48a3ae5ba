import { printableText } from '@berth/text/printable'
import type { Terminal } from './terminal.ts'
import { wrapNote } from './wrap-note.ts'

/** Color codes that `paintFor` writes. */
const OWN_COLOR = new RegExp(String.raw`(${String.fromCharCode(0x1b)}\[(?:1|2|22|31|32|33|39)m)`, 'u')

/**
 * Returns a terminal that gets no control or bidi character of an object, a file or a server, and no color without color support.
 * Notes are wrapped into its width.
 */
export function guardTerminal(terminal: Terminal): Terminal {
  const { hasColor } = terminal
  const guarded = (text: string): string =>
    hasColor
      ? text
          .split(OWN_COLOR)
          .map((part, index) => (index % 2 === 1 ? part : printableText(part)))
          .join('')
      : printableText(text)
  return {
    ...terminal,
    out: (text) => terminal.out(guarded(text)),
    note: (text) => terminal.note(wrapNote(printableText(text), terminal.tableColumns)),
  }
}
