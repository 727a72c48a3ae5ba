const callbacksBySignal = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Calls `callback` once when `signal` aborts. Does nothing if it has already aborted.
 *
 * The signal gets one listener for all callbacks: `addEventListener` compares a new listener with each that is there, which
 * costs more than the call itself when hundreds of calls wait on the signal of the process. The listener is removed with the
 * last callback, because Node keeps a signal of `AbortSignal.any` for as long as it has one.
 *
 * @param callback - Must not throw.
 * @returns A function that removes the callback.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined || signal.aborted) return doNothing
  const callbacks = callbacksBySignal.get(signal) ?? listenTo(signal)
  // The same function may be added twice.
  const entry = (): void => callback()
  callbacks.add(entry)
  return () => {
    if (callbacks.delete(entry) && callbacks.size === 0) stopListening(signal)
  }
}

const doNothing = (): void => undefined

function listenTo(signal: AbortSignal): Set<() => void> {
  const callbacks = new Set<() => void>()
  callbacksBySignal.set(signal, callbacks)
  signal.addEventListener('abort', callAll)
  return callbacks
}

function stopListening(signal: AbortSignal): void {
  callbacksBySignal.delete(signal)
  signal.removeEventListener('abort', callAll)
}

function callAll({ target }: globalThis.Event): void {
  const signal = target as AbortSignal
  const callbacks = callbacksBySignal.get(signal)
  stopListening(signal)
  for (const callback of callbacks ?? []) callback()
}
