import { type HostPort, hostPorts, usesHostPorts } from '@berth/resources'
import type { Pod } from '@berth/types'
import type { ClusterTable } from './cluster-table.ts'
import { encodeRequest, type PlacedPod, releaseRequest } from './pods/pod-entry.ts'

/** One change that can be taken back. */
interface Step {
  readonly cells: PlacedPod['cells']
  readonly sign: 1 | -1
  /** The cells were made for the trial and hold references to names. */
  readonly isOwn: boolean
}

function isSamePort(a: HostPort, b: HostPort): boolean {
  return a.port === b.port && a.protocol === b.protocol && a.ip === b.ip
}

/**
 * Lets pods come to a row and leave it for a while, in the table itself: cheaper than a copy. Nobody else may look at
 * the table before {@link RowDryRun.restore}, after which everything is as it was.
 */
export class RowDryRun {
  readonly #table: ClusterTable
  readonly #row: number
  readonly #pods: readonly Pod[]
  readonly #ports: readonly HostPort[] | undefined
  readonly #steps: Step[] = []

  constructor(table: ClusterTable, row: number) {
    this.#table = table
    this.#row = row
    this.#pods = table.podsOn(row)
    this.#ports = table.dryRunPorts.get(row)
  }

  /** Adds a pod; one that counts in the state is added as it counts there. */
  add(pod: Pod): void {
    const known = this.#table.encodedRequestOf(pod)
    const cells = known ?? encodeRequest(pod, this.#table.store.names)
    this.#take({ cells, sign: 1, isOwn: known === undefined })
    const ports = this.#table.dryRunPorts.get(this.#row)
    if (ports !== undefined) this.#table.dryRunPorts.set(this.#row, [...ports, ...hostPorts(pod)])
    this.#table.setPodsOn(this.#row, [...this.#table.podsOn(this.#row), pod])
  }

  /** Removes a pod that is on the row. */
  remove(pod: Pod): void {
    const cells = this.#table.encodedRequestOf(pod)
    if (cells !== undefined) this.#take({ cells, sign: -1, isOwn: false })
    if (usesHostPorts(pod)) this.#freePorts(pod)
    this.#table.setPodsOn(
      this.#row,
      this.#table.podsOn(this.#row).filter((other) => other !== pod),
    )
  }

  restore(): void {
    for (const { cells, sign, isOwn } of this.#steps.splice(0).toReversed()) {
      this.#table.accountRequest(this.#row, cells, sign === 1 ? -1 : 1)
      if (isOwn) releaseRequest(cells, this.#table.store.names)
    }
    this.#table.setPodsOn(this.#row, this.#pods)
    if (this.#ports === undefined) this.#table.dryRunPorts.delete(this.#row)
    else this.#table.dryRunPorts.set(this.#row, this.#ports)
  }

  /** Upstream keeps a set: of two pods with the same port, the first that leaves frees it (v1.36). */
  #freePorts(pod: Pod): void {
    const freed = hostPorts(pod)
    const taken = this.#table.dryRunPorts.get(this.#row) ?? this.#table.podsOn(this.#row).flatMap(hostPorts)
    const rest = taken.filter((port) => !freed.some((other) => isSamePort(port, other)))
    this.#table.dryRunPorts.set(this.#row, rest)
  }

  #take(step: Step): void {
    this.#table.accountRequest(this.#row, step.cells, step.sign)
    this.#steps.push(step)
  }
}
