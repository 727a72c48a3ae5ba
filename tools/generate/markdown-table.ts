/** A Markdown table; pipes and line breaks in cells are made harmless. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map((cell) => escapeCell(cell)).join(' | ')} |`
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map((row) => line(row))].join('\n')
}

function escapeCell(text: string): string {
  return text.replaceAll('|', String.raw`\|`).replaceAll(/\s*\n\s*/g, ' ')
}

/** Text as code; empty stays empty. */
export function code(text: string): string {
  return text === '' ? '' : `\`${text}\``
}
