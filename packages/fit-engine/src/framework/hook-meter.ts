/** Measures the time that plugins take, with the caller's clock. */
export interface HookMeter {
  /** Monotonic milliseconds from an arbitrary origin. */
  readonly now: () => number
  /** Called once after every hook that ran, also when it threw. A filter judges all its candidates in one call. */
  readonly spent: (plugin: string, point: HookPoint, ms: number) => void
}

/** Counts the evaluations of plugins. */
export interface EvaluationCounter {
  /** The plugin ran for this many nodes at Filter or Score, or once at PreFilter or PreScore without skipping the pod. */
  readonly add: (plugin: string, point: HookPoint, count: number) => void
}

/** Extension points of the decide hooks, under kube-scheduler's names; normalizeScore counts as Score. */
export type HookPoint = 'PreFilter' | 'Filter' | 'PreScore' | 'Score'
