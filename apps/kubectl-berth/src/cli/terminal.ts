import type { Clock, Random } from '@berth/types'

/** The terminal of the user, as an argument so that tests can replace it. */
export interface Terminal {
  out(text: string): void
  /** Prints progress, hints and warnings to standard error. */
  note(text: string): void
  /** Width of the output; 80 when it is not a terminal. */
  readonly columns: number
  /** Whether colours are supported. */
  readonly hasColor: boolean
  readonly clock: Clock
  readonly random: Random
  /** Reads a file, or standard input for `-`. Rejects with the system's error. */
  readFile(path: string): Promise<string>
}
