/** A request to print a text and end the process. */
export interface ExitRequest {
  readonly kind: 'exit'
  readonly code: number
  /** Default: stdout when the code is 0, otherwise stderr. */
  readonly stream?: 'stdout' | 'stderr'
  /** Ends with a line feed, or is empty. */
  readonly text: string
}
