import type { Summary } from './statistics.ts'

/** The measurement of one case, printed as one line. */
export interface Measurement extends Summary {
  readonly bench: string
  readonly case: string
  /** Microseconds of wall time per operation, milliseconds, bytes, or a rate. */
  readonly unit: 'us' | 'ms' | 'B' | 'pods/s'
  /** How many times as much time or memory `against` takes in the same run. For a rate: how many times as high it is. */
  readonly ratio?: number
  /** Name of the program or case that `ratio` compares with. */
  readonly against?: string
  /** The value that `ratio` or `median` should reach, for example `ratio >= 3`. */
  readonly goal?: string
  readonly isGoalMet?: boolean
}

/** Options of one flame graph. */
export interface FlameGraphOptions extends Pick<BenchOptions, 'isQuick' | 'progress'> {
  /** One of {@link Bench.flameGraphs}. */
  readonly case: string
  /** Folder for the picture. */
  readonly dir: string
  /** The `main.js` of another version of the app. Default: the built one. */
  readonly bundle?: string | undefined
}

/** Options of one benchmark run. */
export interface BenchOptions {
  /** Takes few samples, to check that the benchmark works. */
  readonly isQuick: boolean
  /** The only case to run, one of {@link Bench.cases}. Default: all. */
  readonly case?: string | undefined
  /** Folder for curves and raw results. Default: they are not written. */
  readonly curvesDir?: string | undefined
  /** Reports progress to the user. */
  readonly progress: (line: string) => void
}

/** A benchmark. It checks the measured results before and after it measures. */
export interface Bench {
  readonly name: string
  readonly summary: string
  /** Names of the cases that can run alone. Default: none. */
  readonly cases?: readonly string[]
  /** The cases of which a flame graph can be drawn. Default: none. */
  readonly flameGraphs?: readonly string[]
  /** Draws where the time goes in a case. */
  drawFlameGraph?(options: FlameGraphOptions): Promise<void>
  /** @throws WrongResultError when a result is wrong; nothing is published then. */
  run(options: BenchOptions): Promise<readonly Measurement[]>
}

/** Thrown when the measured code returned a wrong result, which makes its speed meaningless. */
export class WrongResultError extends Error {
  /** @param check - The expectation that does not hold, with the actual value. */
  constructor(check: string) {
    super(`a result is wrong, so no measurement is printed: ${check}`)
    this.name = 'WrongResultError'
  }
}

/** @throws WrongResultError unless the result is correct. */
export function assertCorrect(isCorrect: boolean, check: string): asserts isCorrect {
  if (!isCorrect) throw new WrongResultError(check)
}
