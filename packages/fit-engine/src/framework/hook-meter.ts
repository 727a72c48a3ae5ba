/** Accounts for the time that plugins take; the clock is the caller's. */
export interface HookMeter {
  /** Monotonic milliseconds from an arbitrary origin. */
  readonly now: () => number
  /** Called after every hook that ran, one that threw included. Once a call: a filter judges all its candidates in one. */
  readonly spent: (plugin: string, point: HookPoint, ms: number) => void
}

/** Extension points of the decide hooks, under kube-scheduler's names; normalizeScore counts to Score. */
export type HookPoint = 'PreFilter' | 'Filter' | 'PreScore' | 'Score'
