/** When long work lets other work of the process run. */
export interface Pace {
  /** Number of devices that are handled without a pause. */
  readonly interval: number
  readonly yieldToOthers: () => Promise<unknown>
}
