/** A request to print a text and end the process: to stdout when the code is 0, otherwise to stderr. */
export interface ExitRequest {
  readonly kind: 'exit'
  readonly code: number
  /** Ends with a line feed, or is empty. */
  readonly text: string
}
