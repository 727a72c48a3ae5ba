import type { BenchOptions } from './measurement.ts'

/** Something that is called again and again. */
export interface TimedCase {
  readonly name: string
  /** One call; what it answers is dropped. */
  readonly call: () => unknown
  /** Calls counted as one each time, because `call` does several. Default: 1. */
  readonly callsEach?: number
}

const WARM_UP_MS = 400
const SAMPLE_MS = 10
const SAMPLES = 41
const QUICK_SAMPLES = 7

const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6

/** Calls long enough for the compiler, and says how many calls take about {@link SAMPLE_MS}. */
function warmUp(call: () => unknown): number {
  const start = nowMs()
  let calls = 0
  while (nowMs() - start < WARM_UP_MS || calls < 5) {
    call()
    calls += 1
  }
  return Math.max(1, Math.round((SAMPLE_MS * calls) / (nowMs() - start)))
}

/**
 * Times the cases in turns, one sample of each a round, so that whatever else the machine does meets all of them.
 *
 * @returns Samples in microseconds a call, by name.
 */
export function timeCases(cases: readonly TimedCase[], options: BenchOptions): ReadonlyMap<string, readonly number[]> {
  const ready = cases.map((timed) => {
    options.progress(`warm up: ${timed.name}`)
    return { ...timed, calls: warmUp(timed.call), samples: new Array<number>() }
  })
  const rounds = options.isQuick ? QUICK_SAMPLES : SAMPLES
  options.progress(`${rounds} samples of each of ${cases.length} cases, in turns`)
  for (let round = 0; round < rounds; round++) {
    for (const { call, calls, callsEach = 1, samples } of ready) {
      const start = nowMs()
      for (let i = 0; i < calls; i++) call()
      samples.push(((nowMs() - start) * 1000) / (calls * callsEach))
    }
  }
  return new Map(ready.map(({ name, samples }) => [name, samples]))
}
