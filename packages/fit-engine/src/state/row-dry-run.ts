import { type HostPort, hostPorts, usesHostPorts } from '@berth/resources'
import type { Pod } from '@berth/types'
import type { ClusterTable } from './cluster-table.ts'
import { encodeRequest, type EncodedRequest, releaseRequest } from './pods/encoded-request.ts'

/** One change to the row's totals, kept so that it can be undone. */
interface Change {
  readonly request: EncodedRequest
  readonly sign: 1 | -1
  /** Whether the request was encoded for this dry run, which then releases its resource names. */
  readonly isOwn: boolean
}

function isSamePort(a: HostPort, b: HostPort): boolean {
  return a.port === b.port && a.protocol === b.protocol && a.ip === b.ip
}

/**
 * Adds pods to a row and removes them for a while. It changes the table in place, which is cheaper than a fork, so
 * nothing else may use the table until {@link RowDryRun.restore} has undone every change.
 */
export class RowDryRun {
  readonly #table: ClusterTable
  readonly #row: number
  readonly #podsBefore: readonly Pod[]
  readonly #portsBefore: readonly HostPort[] | undefined
  readonly #changes: Change[] = []

  constructor(table: ClusterTable, row: number) {
    this.#table = table
    this.#row = row
    this.#podsBefore = table.podsOn(row)
    this.#portsBefore = table.dryRunPorts.get(row)
  }

  /** Adds a pod to the row. A placed pod keeps the request with which it was placed. */
  add(pod: Pod): void {
    const known = this.#table.encodedRequestOf(pod)
    const request = known ?? encodeRequest(pod, this.#table.store.names)
    this.#account({ request, sign: 1, isOwn: known === undefined })
    const ports = this.#table.dryRunPorts.get(this.#row)
    if (ports !== undefined) this.#table.dryRunPorts.set(this.#row, [...ports, ...hostPorts(pod)])
    this.#table.setPodsOn(this.#row, [...this.#table.podsOn(this.#row), pod])
  }

  /** Removes a pod that is on the row. */
  remove(pod: Pod): void {
    const request = this.#table.encodedRequestOf(pod)
    if (request !== undefined) this.#account({ request, sign: -1, isOwn: false })
    if (usesHostPorts(pod)) this.#freePorts(pod)
    this.#table.setPodsOn(
      this.#row,
      this.#table.podsOn(this.#row).filter((other) => other !== pod),
    )
  }

  /** Undoes every change, latest first. */
  restore(): void {
    for (const { request, sign, isOwn } of this.#changes.splice(0).toReversed()) {
      this.#table.accountRequest(this.#row, request, sign === 1 ? -1 : 1)
      if (isOwn) releaseRequest(request, this.#table.store.names)
    }
    this.#table.setPodsOn(this.#row, this.#podsBefore)
    if (this.#portsBefore === undefined) this.#table.dryRunPorts.delete(this.#row)
    else this.#table.dryRunPorts.set(this.#row, this.#portsBefore)
  }

  /** Upstream keeps a set of ports: of two pods with the same port, the first that is removed frees it (v1.36). */
  #freePorts(pod: Pod): void {
    const freed = hostPorts(pod)
    const used = this.#table.dryRunPorts.get(this.#row) ?? this.#table.podsOn(this.#row).flatMap(hostPorts)
    const remaining = used.filter((port) => !freed.some((other) => isSamePort(port, other)))
    this.#table.dryRunPorts.set(this.#row, remaining)
  }

  #account(change: Change): void {
    this.#table.accountRequest(this.#row, change.request, change.sign)
    this.#changes.push(change)
  }
}
