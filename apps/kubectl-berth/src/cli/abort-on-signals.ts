import type { Clock } from '@berth/types'

/** Under npm, Ctrl-C arrives twice: from the terminal and forwarded by npm. Copies arrive within this time. */
const COPY_MS = 500

/** The part of `process` that is used. */
export interface SignalSource {
  on(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown
  exit(code: number): void
}

/**
 * Returns a signal that aborts on SIGINT or SIGTERM, so that a command can clean up. A second one, unless it is a copy of
 * the first, ends the process at once.
 */
export function abortOnSignals(source: SignalSource, clock: Clock): AbortSignal {
  const stop = new AbortController()
  let firstMs: number | undefined
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    source.on(name, () => {
      if (firstMs !== undefined && clock.monotonic() - firstMs > COPY_MS) source.exit(130)
      firstMs ??= clock.monotonic()
      stop.abort()
    })
  }
  return stop.signal
}
