import type { Comparison } from './compare-schedulers.ts'

/** Counts what the histories of a run show. */
export class Totals {
  /** Number of restarts of the schedulers. */
  restarts = 0
  #equal = 0
  #leftBehind = 0
  /** Undecided histories in which only a further run of kube-scheduler differed. */
  #furtherRuns = 0
  readonly #differentSeeds: number[] = []
  readonly #undecidedSeeds: number[] = []
  readonly #failedSeeds: number[] = []

  add(seed: number, { verdict, neededFurtherRuns, leftBehind }: Comparison): void {
    if (leftBehind.length > 0) this.#leftBehind++
    if (verdict === 'equal') this.#equal++
    else if (verdict === 'different') this.#differentSeeds.push(seed)
    else {
      this.#undecidedSeeds.push(seed)
      if (neededFurtherRuns) this.#furtherRuns++
    }
  }

  /** Adds a history that could not be compared. */
  addFailure(seed: number): void {
    this.#failedSeeds.push(seed)
  }

  /** Whether Berth differs or leaves a fitting pod pending in a history, or a history could not be compared. */
  get hasFindings(): boolean {
    return this.#differentSeeds.length + this.#leftBehind + this.#failedSeeds.length > 0
  }

  /** Returns the totals as lines of text. */
  summary(seconds: number): string {
    const [different, undecided, failed] = [this.#differentSeeds, this.#undecidedSeeds, this.#failedSeeds]
    const counted = this.#equal + different.length
    const total = counted + undecided.length + failed.length
    return [
      `${total} histories in ${seconds.toFixed(0)} s, ${this.restarts} restarts.`,
      `${counted} count: ${this.#equal} equal, ${different.length} different${seedList(different)}.`,
      `${undecided.length} do not count because kube-scheduler differs from itself, ${this.#furtherRuns} of them only in a further run${seedList(undecided)}.`,
      `${failed.length} failed twice${seedList(failed)}.`,
      `Berth left a pod behind that fits a node in ${this.#leftBehind}.`,
    ].join('\n')
  }
}

function seedList(seeds: readonly number[]): string {
  return seeds.length === 0 ? '' : ` (seeds ${seeds.join(', ')})`
}
