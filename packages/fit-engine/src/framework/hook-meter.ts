/** Measures the time that plugins take, with the caller's clock. */
export interface HookMeter {
  /** Monotonic milliseconds from an arbitrary origin. */
  readonly now: () => number
  /** Called once after every hook that ran, also when it threw. A filter judges all its candidates in one call. */
  readonly spent: (plugin: string, point: HookPoint, ms: number) => void
}

/** Extension points of the decide hooks, under kube-scheduler's names; normalizeScore counts as Score. */
export type HookPoint = 'PreFilter' | 'Filter' | 'PreScore' | 'Score'
