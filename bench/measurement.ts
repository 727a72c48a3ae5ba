import type { Summary } from './statistics.ts'

/** One line of output. */
export interface Measurement extends Summary {
  readonly bench: string
  readonly case: string
  /** `us` for microseconds of wall time a call, `ms`, or `B` for bytes. */
  readonly unit: 'us' | 'ms' | 'B'
  /** How many times longer `against` takes, by the medians of this run. */
  readonly ratio?: number
  readonly against?: string
}

/** What a bench is given. */
export interface BenchOptions {
  /** Fewer samples: to see that everything works, not to publish. */
  readonly isQuick: boolean
  /** For people: what is going on. */
  readonly progress: (line: string) => void
}

/** A bench. It checks its own answers before it measures, and again afterwards. */
export interface Bench {
  readonly name: string
  readonly summary: string
  /** @throws WrongAnswerError when an answer is wrong: nothing is published then. */
  run(options: BenchOptions): Promise<readonly Measurement[]>
}

/** What was measured is not right, so its speed is worth nothing. */
export class WrongAnswerError extends Error {
  constructor(what: string) {
    super(`an answer is wrong, so no number is printed: ${what}`)
    this.name = 'WrongAnswerError'
  }
}

/** @throws WrongAnswerError unless the claim holds. */
export function mustHold(holds: boolean, what: string): asserts holds {
  if (!holds) throw new WrongAnswerError(what)
}
