import type { CommandLine, FlagDefinition } from '@berth/process/command'
import { csvText, type CsvTable } from './csv-text.ts'
import { structuredText } from './structured-text.ts'

const formats = ['table', 'wide', 'json', 'yaml', 'csv'] as const

/** A value of `-o`. `table` and `wide` are for people. */
export type OutputFormat = (typeof formats)[number]

/** `-o` of every command that prints a table. */
export const outputFlag: FlagDefinition = {
  name: 'output',
  short: 'o',
  placeholder: 'FORMAT',
  choices: formats,
  description: 'Output format. wide leaves out nothing for the width of the terminal. Default: table.',
}

/** Returns the format that the command line chooses. */
export function outputFormat(line: CommandLine): OutputFormat {
  return formats.find((format) => format === line.text('output')) ?? 'table'
}

/** Returns whether a format is for people, and not for programs. */
export function isForPeople(format: OutputFormat): boolean {
  return format === 'table' || format === 'wide'
}

/** Output of a command in each format. */
export interface OutputForms {
  readonly text: (isWide: boolean) => string
  /** The value of JSON and YAML. */
  readonly value: () => unknown
  readonly csv: () => CsvTable
}

/** Returns the output of a command in a format. */
export function inFormat(format: OutputFormat, { text, value, csv }: OutputForms): string {
  if (format === 'json' || format === 'yaml') return structuredText(value(), format)
  return format === 'csv' ? csvText(csv()) : text(format === 'wide')
}
