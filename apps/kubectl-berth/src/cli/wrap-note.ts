import { wrapLines } from '@berth/text/wrap-lines'

/** What stands before a command that the user may copy. */
const COMMAND = /(?<=:) (?=(?:helm|kind|kubeadm|kubectl|npm) )/

/** Wraps the lines of a note. A command stays whole, on a line of its own where its sentence does not fit beside it. */
export function wrapNote(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => wrapLine(line, width))
    .join('\n')
}

function wrapLine(line: string, width: number): readonly string[] {
  if (line.length <= width) return [line]
  const at = COMMAND.exec(line)?.index
  return at === undefined ? wrapLines(line, width) : [...wrapLines(line.slice(0, at), width), line.slice(at + 1)]
}
