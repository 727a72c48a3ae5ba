import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Collects the garbage of this process. @throws Error if the garbage collector cannot be called. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect !== 'function') throw new Error('collect garbage: the garbage collector cannot be called')
  // What one collection finalizes is freed by the next.
  for (let i = 0; i < 4; i++) collect()
}
