import type { Contender } from './contender.ts'

/** The scheduler is idle when it uses less CPU time in a second. Timers and the Lease of the process need some. */
const IDLE_CPU_MS = 50

/** Returns a function that returns whether the scheduler has used almost no CPU time since the last call. Call it once a second. */
export function idleCheck(contender: Pick<Contender, 'cpuMs'>): () => boolean {
  let cpuMs = Number.NEGATIVE_INFINITY
  return () => {
    const beforeMs = cpuMs
    cpuMs = contender.cpuMs()
    return cpuMs - beforeMs < IDLE_CPU_MS
  }
}
