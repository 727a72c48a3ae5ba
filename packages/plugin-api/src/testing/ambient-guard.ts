/**
 * Runs a function while the world's own randomness and clock throw: what decides must take both from its context.
 * The function must be synchronous; everything is put back when it returns.
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
