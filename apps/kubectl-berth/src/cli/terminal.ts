import type { Clock, Random } from '@berth/types'

/** The terminal of the user, as an argument so that tests can replace it. */
export interface Terminal {
  out(text: string): void
  /** Clears the screen; does nothing when the output is not a terminal. */
  clear(): void
  /** Prints progress, hints and warnings to standard error. */
  note(text: string): void
  /** Width into which text is wrapped; 80 when it is not known. */
  readonly columns: number
  /** Width into which tables fit; Infinity when it is not known, because programs read whole lines. */
  readonly tableColumns: number
  /** Whether colours are supported. */
  readonly hasColor: boolean
  readonly clock: Clock
  readonly random: Random
  /** Reads a file, or standard input for `-`. Rejects with the system's error. */
  readFile(path: string): Promise<string>
  /** Reads a file that may be too large for a string, or standard input for `-`, in parts. Rejects with the system's error. */
  readChunks(path: string): AsyncIterable<Uint8Array>
}

/** Returns whether an output has colours: on a terminal that knows them, and without NO_COLOR (https://no-color.org). */
export function supportsColor(
  { isTTY = false }: { readonly isTTY?: boolean },
  { NO_COLOR: noColor = '', TERM: term = '' }: Readonly<Record<string, string | undefined>>,
): boolean {
  return isTTY && noColor === '' && term !== 'dumb'
}

/** Width for output that does not go to a terminal, or to one that does not know its width. */
const DEFAULT_COLUMNS = 80
/** Narrower terminals wrap the lines themselves. */
const MIN_COLUMNS = 40

/**
 * Returns the widths of an output: those of its terminal, or those that COLUMNS names for a pipe. Some terminals report 0
 * columns, which counts as the default.
 */
export function columnsOf(
  { isTTY = false, columns = 0 }: { readonly isTTY?: boolean; readonly columns?: number },
  { COLUMNS: named = '' }: Readonly<Record<string, string | undefined>>,
): Pick<Terminal, 'columns' | 'tableColumns'> {
  const wanted = isTTY ? columns : Number(/^[1-9]\d{0,4}$/.exec(named)?.[0] ?? 0)
  const width = wanted > 0 ? Math.max(MIN_COLUMNS, wanted) : DEFAULT_COLUMNS
  return { columns: width, tableColumns: isTTY || wanted > 0 ? width : Infinity }
}
