import { collectGarbage } from '../collect-garbage.ts'

/** Returns the bytes of the heap and of array buffers that are in use after a full garbage collection. */
export function usedBytes(): number {
  collectGarbage()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
