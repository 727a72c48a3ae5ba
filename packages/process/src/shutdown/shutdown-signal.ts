import { constants } from 'node:os'

/** The part of a process that `shutdownSignal` uses. */
export interface SignalSource {
  on(signal: 'SIGTERM' | 'SIGINT', listener: (signal: NodeJS.Signals) => void): unknown
  exit(code: number): void
}

/** Returns whether an error is the reason of a shutdown signal, with which an interrupted wait rejects. */
export function isShutdownReason(error: unknown): boolean {
  return error === 'SIGTERM' || error === 'SIGINT'
}

/**
 * Returns a signal that aborts on SIGTERM or SIGINT, with the signal's name as the reason. A second signal ends the
 * process at once with 128 + its number. Keeps the process alive until the first signal.
 *
 * @param source - Default: this process.
 */
export function shutdownSignal(source: SignalSource = process): AbortSignal {
  const controller = new AbortController()
  // An abort signal does not keep a process alive, and a program whose last socket closed briefly must not end.
  const keepAlive = setInterval(() => {}, 2 ** 31 - 1)
  const stop = (signal: NodeJS.Signals): void => {
    if (controller.signal.aborted) {
      source.exit(128 + constants.signals[signal])
      return
    }
    clearInterval(keepAlive)
    controller.abort(signal)
  }
  source.on('SIGTERM', stop)
  source.on('SIGINT', stop)
  return controller.signal
}
