import type { Example } from './command-definition.ts'
import { wrap } from './wrap.ts'

/** A flag, command or argument in the help. */
export interface HelpEntry {
  readonly head: string
  readonly text: string
  /** Paragraphs below the text. */
  readonly details?: readonly string[]
}

/** The contents of a help text. Sections without entries are omitted. */
export interface HelpPage {
  readonly summary: string
  /** Whole command lines. */
  readonly usage: readonly string[]
  readonly commands?: readonly HelpEntry[]
  readonly arguments?: readonly HelpEntry[]
  readonly examples: readonly Example[]
  readonly flags?: readonly HelpEntry[]
  readonly notes?: readonly string[]
}

/** Renders the answer to `--help` in at most 80 columns. A longer word or flag stays whole. */
export function renderHelp(page: HelpPage): string {
  const { summary, usage, commands = [], arguments: words = [], examples, flags = [], notes = [] } = page
  const sections = [
    wrap(summary, 0),
    `Usage:\n${usage.map((form) => wrap(form, 2, '    ')).join('\n')}`,
    entries('Commands', commands),
    entries('Arguments', words),
    `Examples:\n${examples.map(({ command, description }) => `${wrap(`# ${description}`, 2, '# ')}\n${breakCommand(command)}`).join('\n\n')}`,
    entries('Flags', flags),
    ...notes.map((note) => wrap(note, 0)),
  ]
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`
}

/** Breaks a command before its flags, with a backslash at the end of each line, so that it can be copied. */
function breakCommand(command: string): string {
  const lines: string[] = []
  let line = ' '
  for (const part of command.split(/ (?=-)/)) {
    if (line !== ' ' && `${line} ${part} \\`.length > 80) {
      lines.push(line)
      line = '     '
    }
    line += ` ${part}`
  }
  return [...lines, line].join(' \\\n')
}

function entries(title: string, listed: readonly HelpEntry[]): string {
  if (listed.length === 0) return ''
  const texts = listed.map(({ head, text, details = [] }) =>
    [`  ${head}`, wrap(text, 6), ...details.map((detail) => wrap(detail, 6, '  '))].join('\n'),
  )
  return `${title}:\n${texts.join('\n')}`
}
