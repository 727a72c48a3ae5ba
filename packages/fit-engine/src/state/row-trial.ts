import { type HostPort, hostPorts, usesHostPorts } from '@berth/resources'
import type { Pod } from '@berth/types'
import type { ClusterTable } from './cluster-table.ts'
import { podCells, type PodEntry, releaseCells } from './pods/pod-entry.ts'

/** One change that can be taken back. */
interface Step {
  readonly cells: PodEntry['cells']
  readonly sign: 1 | -1
  /** The cells were made for the trial and hold references to names. */
  readonly isOwn: boolean
}

function isSamePort(a: HostPort, b: HostPort): boolean {
  return a.port === b.port && a.protocol === b.protocol && a.ip === b.ip
}

/**
 * Lets pods come to a row and leave it for a while, in the table itself: cheaper than a copy. Nobody else may look at
 * the table before {@link RowTrial.restore}, after which everything is as it was.
 */
export class RowTrial {
  readonly #table: ClusterTable
  readonly #row: number
  readonly #pods: readonly Pod[]
  readonly #ports: readonly HostPort[] | undefined
  readonly #steps: Step[] = []

  constructor(table: ClusterTable, row: number) {
    this.#table = table
    this.#row = row
    this.#pods = table.podsOn(row)
    this.#ports = table.trialPorts.get(row)
  }

  /** Adds a pod; one that counts in the state is added as it counts there. */
  add(pod: Pod): void {
    const known = this.#table.cellsOf(pod)
    const cells = known ?? podCells(pod, this.#table.store.names)
    this.#take({ cells, sign: 1, isOwn: known === undefined })
    const ports = this.#table.trialPorts.get(this.#row)
    if (ports !== undefined) this.#table.trialPorts.set(this.#row, [...ports, ...hostPorts(pod)])
    this.#table.setPodsOn(this.#row, [...this.#table.podsOn(this.#row), pod])
  }

  /** Removes a pod that is on the row. */
  remove(pod: Pod): void {
    const cells = this.#table.cellsOf(pod)
    if (cells !== undefined) this.#take({ cells, sign: -1, isOwn: false })
    if (usesHostPorts(pod)) this.#freePorts(pod)
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
    if (this.#ports === undefined) this.#table.trialPorts.delete(this.#row)
    else this.#table.trialPorts.set(this.#row, this.#ports)
  }

  /** Upstream keeps a set: of two pods with the same port, the first that leaves frees it (v1.36). */
  #freePorts(pod: Pod): void {
    const freed = hostPorts(pod)
    const taken = this.#table.trialPorts.get(this.#row) ?? this.#table.podsOn(this.#row).flatMap(hostPorts)
    const rest = taken.filter((port) => !freed.some((other) => isSamePort(port, other)))
    this.#table.trialPorts.set(this.#row, rest)
  }

  #take(step: Step): void {
    this.#table.account(this.#row, step.cells, step.sign)
    this.#steps.push(step)
  }
}
