/** Returns a Markdown table. Escapes pipes and line breaks in cells. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map((cell) => escapeCell(cell)).join(' | ')} |`
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map((row) => line(row))].join('\n')
}

function escapeCell(text: string): string {
  return text.replaceAll('|', String.raw`\|`).replaceAll(/\s*\n\s*/g, ' ')
}

/** Formats text as inline code. Empty text stays empty. */
export function code(text: string): string {
  return text === '' ? '' : `\`${text}\``
}
