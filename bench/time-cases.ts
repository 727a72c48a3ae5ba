import type { BenchOptions } from './measurement.ts'

/** Something that is called again and again. */
export interface TimedCase {
  readonly name: string
  /** One call; what it answers is dropped. */
  readonly call: () => unknown
  /** Calls counted as one each time, because `call` does several. Default: 1. */
  readonly callsEach?: number
}

/** Long enough for the optimising compiler: calls of a few microseconds need a second until it is done with them. */
const WARM_UP_MS = 1500
/** Shorter than the time slices that the system deals out, so that most samples are not interrupted. */
const SAMPLE_MS = 1
const MAX_SAMPLES = 401
const MIN_SAMPLES = 15
/** Cases with long calls have fewer samples. */
const CASE_MS = 1500
const QUICK_SAMPLES = 7

const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6

/** Calls long enough for the compiler; says how long a call takes and how many take about {@link SAMPLE_MS}. */
function warmUp(call: () => unknown): { readonly calls: number; readonly callMs: number } {
  const start = nowMs()
  let calls = 0
  while (nowMs() - start < WARM_UP_MS || calls < 5) {
    call()
    calls += 1
  }
  const callMs = (nowMs() - start) / calls
  return { calls: Math.max(1, Math.round(SAMPLE_MS / callMs)), callMs }
}

/**
 * Times the cases in turns, one sample of each a round, so that whatever else the machine does meets all of them.
 *
 * @returns Samples in microseconds a call, by name.
 */
export function timeCases(cases: readonly TimedCase[], options: BenchOptions): ReadonlyMap<string, readonly number[]> {
  const ready = cases.map((timed) => {
    options.progress(`warm up: ${timed.name}`)
    const { calls, callMs } = warmUp(timed.call)
    const affordable = Math.floor(CASE_MS / (calls * callMs))
    const wanted = options.isQuick ? QUICK_SAMPLES : Math.min(MAX_SAMPLES, Math.max(MIN_SAMPLES, affordable))
    return { ...timed, calls, wanted, samples: new Array<number>() }
  })
  options.progress(`${cases.length} cases, in turns`)
  for (let round = 0; ready.some(({ wanted }) => round < wanted); round++) {
    for (const { call, calls, callsEach = 1, samples, wanted } of ready) {
      if (round >= wanted) continue
      const start = nowMs()
      for (let i = 0; i < calls; i++) call()
      samples.push(((nowMs() - start) * 1000) / (calls * callsEach))
    }
  }
  return new Map(ready.map(({ name, samples }) => [name, samples]))
}
