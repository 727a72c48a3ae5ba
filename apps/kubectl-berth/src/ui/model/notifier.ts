/** Calls its subscribers. */
export interface Notifier {
  notify(): void
  /** Adds a listener. Calling the result removes it. */
  subscribe(listener: () => void): () => void
}

/** Creates a notifier without subscribers. */
export function createNotifier(): Notifier {
  const listeners = new Set<() => void>()
  return {
    notify: () => listeners.forEach((listener) => listener()),
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
