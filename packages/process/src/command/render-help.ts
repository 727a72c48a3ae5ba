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

/** Renders the answer to `--help`: at most 80 columns, except for commands of examples, so that they can be copied. */
export function renderHelp(page: HelpPage): string {
  const { summary, usage, commands = [], arguments: words = [], examples, flags = [], notes = [] } = page
  const sections = [
    wrap(summary, 0),
    `Usage:\n${usage.map((form) => wrap(form, 2, '    ')).join('\n')}`,
    entries('Commands', commands),
    entries('Arguments', words),
    `Examples:\n${examples.map(({ command, description }) => `${wrap(`# ${description}`, 2, '# ')}\n  ${command}`).join('\n\n')}`,
    entries('Flags', flags),
    ...notes.map((note) => wrap(note, 0)),
  ]
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`
}

function entries(title: string, listed: readonly HelpEntry[]): string {
  if (listed.length === 0) return ''
  const texts = listed.map(({ head, text, details = [] }) =>
    [`  ${head}`, wrap(text, 6), ...details.map((detail) => wrap(detail, 6, '  '))].join('\n'),
  )
  return `${title}:\n${texts.join('\n')}`
}
