import { constants } from 'node:os'

/** What of a process `shutdownSignal` uses. */
export interface SignalSource {
  on(signal: 'SIGTERM' | 'SIGINT', listener: (signal: NodeJS.Signals) => void): unknown
  exit(code: number): void
}

/** Whether an error is the reason of a shutdown signal: what a wait that was cut short by it rejects with. */
export function isShutdownReason(error: unknown): boolean {
  return error === 'SIGTERM' || error === 'SIGINT'
}

/**
 * Aborts on SIGTERM or SIGINT, with the signal's name as the reason. A second signal ends the process at once,
 * with 128 + its number, for whoever cannot wait. While nothing has come, the process is kept alive.
 *
 * @param source - Default: this process.
 */
export function shutdownSignal(source: SignalSource = process): AbortSignal {
  const controller = new AbortController()
  // An abort signal keeps no process alive; a program whose last socket closed for a moment must not end.
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
