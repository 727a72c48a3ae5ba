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

const MAX_WIDTH = 80

/**
 * Renders the answer to `--help`. A longer word or flag stays whole.
 *
 * @param columns - Width of the terminal. Lines have at most 80 columns. Default: 80.
 */
export function renderHelp(page: HelpPage, columns: number = MAX_WIDTH): string {
  const { summary, usage, commands = [], arguments: words = [], examples, flags = [], notes = [] } = page
  const width = Math.min(columns, MAX_WIDTH)
  const example = ({ command, description }: Example): string =>
    `${wrap(`# ${description}`, { width, indent: 2, hang: '# ' })}\n${breakCommand(command, width)}`
  const sections = [
    wrap(summary, { width }),
    `Usage:\n${usage.map((form) => wrap(form, { width, indent: 2, hang: '    ' })).join('\n')}`,
    entries('Commands', commands, width),
    entries('Arguments', words, width),
    `Examples:\n${examples.map(example).join('\n\n')}`,
    entries('Flags', flags, width),
    ...notes.map((note) => wrap(note, { width })),
  ]
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`
}

/** Breaks a command before its flags, with a backslash at the end of each line, so that it can be copied. */
function breakCommand(command: string, width: number): string {
  const lines: string[] = []
  let line = ' '
  for (const part of command.split(/ (?=-)/)) {
    if (line !== ' ' && `${line} ${part} \\`.length > width) {
      lines.push(line)
      line = '     '
    }
    line += ` ${part}`
  }
  return [...lines, line].join(' \\\n')
}

function entries(title: string, listed: readonly HelpEntry[], width: number): string {
  if (listed.length === 0) return ''
  const texts = listed.map(({ head, text, details = [] }) =>
    [
      `  ${head}`,
      wrap(text, { width, indent: 6 }),
      ...details.map((detail) => wrap(detail, { width, indent: 6, hang: '  ' })),
    ].join('\n'),
  )
  return `${title}:\n${texts.join('\n')}`
}
