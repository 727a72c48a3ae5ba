import type { Clock, Random } from '@berth/types'

/** The person's side of the program, as an argument. */
export interface Terminal {
  out(text: string): void
  /** Progress, hints and warnings: what is not the answer. */
  note(text: string): void
  /** Width to keep to; 80 where the output is no terminal. */
  readonly columns: number
  /** Whether escape sequences for colour may be written. */
  readonly hasColor: boolean
  readonly clock: Clock
  readonly random: Random
  /** `-` is standard input. Rejects with the system's error. */
  readFile(path: string): Promise<string>
}
