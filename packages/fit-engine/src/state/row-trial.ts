import type { Pod } from '@berth/types'
import type { ClusterTable } from './cluster-table.ts'
import { podCells, type PodEntry, releaseCells } from './pod-entry.ts'

/** One change that can be taken back. */
interface Step {
  readonly cells: PodEntry['cells']
  readonly sign: 1 | -1
  /** The cells were made for the trial and hold references to names. */
  readonly isOwn: boolean
}

/**
 * Lets pods come to a row and leave it for a while, in the table itself: cheaper than a copy. Nobody else may look at
 * the table before {@link RowTrial.restore}, after which everything is as it was.
 */
export class RowTrial {
  readonly #table: ClusterTable
  readonly #row: number
  readonly #pods: readonly Pod[]
  readonly #steps: Step[] = []

  constructor(table: ClusterTable, row: number) {
    this.#table = table
    this.#row = row
    this.#pods = table.podsOn(row)
  }

  /** Adds a pod; one that counts in the state is added as it counts there. */
  add(pod: Pod): void {
    const known = this.#table.cellsOf(pod)
    const cells = known ?? podCells(pod, this.#table.store.names)
    this.#take({ cells, sign: 1, isOwn: known === undefined })
    this.#table.setPodsOn(this.#row, [...this.#table.podsOn(this.#row), pod])
  }

  /** Removes a pod that is on the row. */
  remove(pod: Pod): void {
    const cells = this.#table.cellsOf(pod)
    if (cells !== undefined) this.#take({ cells, sign: -1, isOwn: false })
    this.#table.setPodsOn(
      this.#row,
      this.#table.podsOn(this.#row).filter((other) => other !== pod),
    )
  }

  restore(): void {
    for (const { cells, sign, isOwn } of this.#steps.splice(0).toReversed()) {
      this.#table.account(this.#row, cells, sign === 1 ? -1 : 1)
      if (isOwn) releaseCells(cells, this.#table.store.names)
    }
    this.#table.setPodsOn(this.#row, this.#pods)
  }

  #take(step: Step): void {
    this.#table.account(this.#row, step.cells, step.sign)
    this.#steps.push(step)
  }
}
