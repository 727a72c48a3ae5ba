import type { Clock, Random } from '@berth/types'

/** The terminal of the user, as an argument so that tests can replace it. */
export interface Terminal {
  out(text: string): void
  /** Clears the screen; does nothing when the output is not a terminal. */
  clear(): void
  /** Prints progress, hints and warnings to standard error. */
  note(text: string): void
  /** Width of the output; 80 when it is not a terminal. */
  readonly columns: number
  /** Whether the output goes to a terminal, and not to a file or another program. */
  readonly isTerminal: boolean
  /** Whether colours are supported. */
  readonly hasColor: boolean
  readonly clock: Clock
  readonly random: Random
  /** Reads a file, or standard input for `-`. Rejects with the system's error. */
  readFile(path: string): Promise<string>
}

/** Width for output that does not go to a terminal, or to one that does not know its width. */
const DEFAULT_COLUMNS = 80
/** Narrower terminals wrap the lines themselves. */
const MIN_COLUMNS = 40

/** Returns the width to which text is wrapped. Some terminals report 0 columns. */
export function columnsOf({ isTTY, columns }: { readonly isTTY?: boolean; readonly columns?: number }): number {
  if (isTTY !== true || columns === undefined || columns <= 0) return DEFAULT_COLUMNS
  return Math.max(MIN_COLUMNS, columns)
}
