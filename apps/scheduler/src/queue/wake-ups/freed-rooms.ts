import type { Clock, Timer } from '@berth/types'
import type { NodeRoom, RoomDemand } from '@berth/fit-engine'

/** A node that got more room, and the pods that were requeued to take it. */
export interface FreedRoom {
  /** Sequence number: larger for room that was freed later. */
  readonly number: number
  /** Label of the event that freed the room. */
  readonly event: string
  readonly demands: Map<string, { readonly demand: RoomDemand; readonly sinceMs: number }>
}

/** Options of {@link FreedRooms}. */
export interface FreedRoomsOptions {
  readonly clock: Clock
  /** Requeues pods for the room, in order, each with {@link FreedRooms.claim}. */
  readonly offer: (nodeName: string, room: Pick<FreedRoom, 'number' | 'event'>) => void
  /** Returns whether a pod that was requeued will be attempted soon, or waits for its backoff. */
  readonly mayStart: (key: string) => boolean
}

/** Time after which the claim of a requeued pod ends, although its attempt has not ended or could not begin. */
const CLAIM_MS = 1_000

/**
 * The rooms that were freed on nodes, and the requeued pods that claim them. Only as many pods are requeued as fit. When
 * a pod's attempt ends, whatever its result, the room is offered to the next pods, until none is left that fits and
 * has not been attempted since. So a pod that does not take the room does not keep it from the others.
 */
export class FreedRooms implements Disposable {
  readonly #options: FreedRoomsOptions
  readonly #rooms = new Map<string, FreedRoom>()
  readonly #nodeByPod = new Map<string, string>()
  #number = 0
  #timer: Timer | undefined

  constructor(options: FreedRoomsOptions) {
    this.#options = options
  }

  /** Number of the latest freed room. */
  get latest(): number {
    return this.#number
  }

  /** Offers room that an event has freed. */
  free(nodeName: string, event: string): void {
    this.#number += 1
    const demands = this.#rooms.get(nodeName)?.demands ?? new Map()
    this.#rooms.set(nodeName, { number: this.#number, event, demands })
    this.#offer(nodeName)
  }

  /** Subtracts from `room` what requeued pods claim on the node. */
  subtractClaims(nodeName: string, room: NodeRoom): void {
    for (const { demand } of this.#rooms.get(nodeName)?.demands.values() ?? []) room.take(demand)
  }

  /** Notes that the pod was requeued to take this much of the room. */
  claim(key: string, nodeName: string, demand: RoomDemand): void {
    this.#nodeByPod.set(key, nodeName)
    this.#rooms.get(nodeName)?.demands.set(key, { demand, sinceMs: this.#options.clock.monotonic() })
    this.#schedule()
  }

  /** Ends the claim of a pod whose attempt has ended, and offers the room to others; does nothing without a claim. */
  end(key: string): void {
    const nodeName = this.#nodeByPod.get(key)
    if (nodeName === undefined) return
    this.#nodeByPod.delete(key)
    this.#rooms.get(nodeName)?.demands.delete(key)
    this.#offer(nodeName)
  }

  #offer(nodeName: string): void {
    const room = this.#rooms.get(nodeName)
    if (room === undefined) return
    this.#options.offer(nodeName, room)
    if (room.demands.size === 0) this.#rooms.delete(nodeName)
  }

  #schedule(): void {
    const { clock, mayStart } = this.#options
    this.#timer ??= clock.setTimer(CLAIM_MS, () => {
      this.#timer = undefined
      const oldestMs = clock.monotonic() - CLAIM_MS
      const claims = [...this.#rooms.values()].flatMap(({ demands }) => [...demands])
      for (const [key, { sinceMs }] of claims) if (sinceMs <= oldestMs && !mayStart(key)) this.end(key)
      if (this.#nodeByPod.size > 0) this.#schedule()
    })
  }

  [Symbol.dispose](): void {
    this.#timer?.cancel()
  }
}
