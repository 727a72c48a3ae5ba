import { printableText } from '@berth/text/printable'

/** A value in a CSV file. Undefined is an empty field. */
export type CsvValue = string | number | bigint | boolean | undefined

/** Records for programs that read CSV. */
export interface CsvTable {
  /** Names of the fields, as in JSON. */
  readonly columns: readonly string[]
  readonly rows: readonly (readonly CsvValue[])[]
}

/**
 * Writes CSV as RFC 4180 has it, with a header and with line feeds. Control and bidi characters are left out, because CSV
 * has no escapes for them.
 */
export function csvText({ columns, rows }: CsvTable): string {
  return [columns, ...rows].map((row) => `${row.map(field).join(',')}\n`).join('')
}

function field(value: CsvValue): string {
  const text = printableText(String(value ?? ''))
  return /[",\n\r]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
