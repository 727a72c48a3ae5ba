/**
 * Runs a synchronous function while Math.random and Date.now throw, because a decision must take randomness and time
 * from its context. Restores them when the function returns or throws.
 */
export function withoutAmbientWorld<T>(run: () => T): T {
  const { random } = Math
  const { now } = Date
  Math.random = () => {
    throw new Error('it used Math.random; randomness comes from context.random')
  }
  Date.now = () => {
    throw new Error('it used Date.now; time comes from context.nowMs')
  }
  try {
    return run()
  } finally {
    Math.random = random
    Date.now = now
  }
}
