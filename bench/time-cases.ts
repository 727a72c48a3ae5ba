import type { BenchOptions } from './measurement.ts'

/** A function to time. */
export interface TimedCase {
  readonly name: string
  /** Its result is ignored. */
  readonly call: () => unknown
  /** Number of measured operations in one call. Default: 1. */
  readonly operationsPerCall?: number
}

/** Warm-up time of a case: long enough for the optimizing compiler, which needs a second for calls of microseconds. */
const WARM_UP_MS = 1500
/** Length of a sample: shorter than the operating system's time slices, so that most samples are not interrupted. */
const SAMPLE_MS = 1
const MAX_SAMPLES = 401
const MIN_SAMPLES = 15
/** Time for the samples of one case. Cases with long calls have fewer samples. */
const CASE_MS = 1500
const QUICK_SAMPLES = 7

const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6

/** Warms up the compiler. Returns the time of one call and how many calls take about {@link SAMPLE_MS}. */
function warmUp(call: () => unknown): { readonly callsPerSample: number; readonly callMs: number } {
  const start = nowMs()
  let calls = 0
  while (nowMs() - start < WARM_UP_MS || calls < 5) {
    call()
    calls += 1
  }
  const callMs = (nowMs() - start) / calls
  return { callsPerSample: Math.max(1, Math.round(SAMPLE_MS / callMs)), callMs }
}

/**
 * Times the cases in turns, with one sample of each case per round, so that other load on the machine affects all of
 * them alike.
 *
 * @returns The samples in microseconds per operation, by case name.
 */
export function timeCases(cases: readonly TimedCase[], options: BenchOptions): ReadonlyMap<string, readonly number[]> {
  const ready = cases.map((timed) => {
    options.progress(`warm up: ${timed.name}`)
    const { callsPerSample, callMs } = warmUp(timed.call)
    const affordable = Math.floor(CASE_MS / (callsPerSample * callMs))
    const sampleCount = options.isQuick ? QUICK_SAMPLES : Math.min(MAX_SAMPLES, Math.max(MIN_SAMPLES, affordable))
    return { ...timed, callsPerSample, sampleCount, samples: new Array<number>() }
  })
  options.progress(`${cases.length} cases, in turns`)
  for (let round = 0; ready.some(({ sampleCount }) => round < sampleCount); round++) {
    for (const { call, callsPerSample, operationsPerCall = 1, samples, sampleCount } of ready) {
      if (round >= sampleCount) continue
      const start = nowMs()
      for (let i = 0; i < callsPerSample; i++) call()
      samples.push(((nowMs() - start) * 1000) / (callsPerSample * operationsPerCall))
    }
  }
  return new Map(ready.map(({ name, samples }) => [name, samples]))
}
