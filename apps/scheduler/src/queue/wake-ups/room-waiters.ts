import type { NodeRoom, RoomClaimant, RoomDemand } from '@berth/fit-engine'
import { createKeyedHeap } from '../keyed-heap.ts'
import { type OrderedPod, OrderedPods } from './ordered-pods.ts'
import { insertSorted } from './insert-sorted.ts'
import type { QueuedPodInfo } from '../queued-pod.ts'

/** A parked pod that waits for room. */
export interface WaitingForRoom {
  readonly info: QueuedPodInfo
  readonly demand: RoomDemand
  /** See {@link OrderedPod.seenRoom}. */
  readonly seenRoom: number
}

/** Maximum number of pods of one demand that {@link RoomWaiters.visitFitting} returns between two that are ready. */
const MAX_NOT_READY = 100

/** Parked pods with equal demands. */
interface Shape {
  readonly demand: RoomDemand
  readonly pods: OrderedPods
}

/** The shapes with the same scarcest resource and claimant; smaller amounts of the resource first. */
interface ClaimantShapes {
  readonly claimant: RoomClaimant
  readonly shapes: Shape[]
}

/** The parked pods that wait for room on a node, by what they demand. */
export class RoomWaiters {
  readonly #compare: (a: OrderedPod, b: OrderedPod) => number
  readonly #shapes = new Map<string, Shape>()
  /** By the scarcest resource of the demand and by the key of the claimant. */
  readonly #byScarcest = new Map<string, Map<string, ClaimantShapes>>()
  readonly #shapeByPod = new Map<string, { readonly shape: Shape; readonly pod: OrderedPod }>()
  #sequence = 0

  constructor(compare: (a: QueuedPodInfo, b: QueuedPodInfo) => number) {
    this.#compare = (a, b) => compare(a.info, b.info) || a.sequence - b.sequence
  }

  /**
   * Adds the pod, or replaces it. A replaced pod keeps its place among those that compare equal.
   *
   * @param seenRoom - See {@link OrderedPod.seenRoom}.
   */
  set(info: QueuedPodInfo, demand: RoomDemand, seenRoom: number): void {
    const known = this.#shapeByPod.get(info.key)
    if (known?.shape.demand.key === demand.key && this.#compare(known.pod, { ...known.pod, info }) === 0) {
      known.pod.info = info
      known.pod.seenRoom = seenRoom
      return
    }
    this.delete(info.key)
    const shape = this.#shapes.get(demand.key) ?? this.#createShape(demand)
    const pod = { info, seenRoom, sequence: this.#sequence++, isRemoved: false }
    shape.pods.add(pod)
    this.#shapeByPod.set(info.key, { shape, pod })
  }

  delete(key: string): void {
    const known = this.#shapeByPod.get(key)
    if (known === undefined) return
    this.#shapeByPod.delete(key)
    known.shape.pods.remove(known.pod)
    if (known.shape.pods.size === 0) this.#deleteShape(known.shape)
  }

  get(key: string): WaitingForRoom | undefined {
    const known = this.#shapeByPod.get(key)
    return known && { ...known.pod, demand: known.shape.demand }
  }

  /**
   * Visits the pods that fit the room, have not seen it and are ready, in queue order. The visitor may take from the
   * room, and remove the pod that it visits; pods that no longer fit are not visited.
   *
   * @returns Pods that fit and were not ready, of each demand the first few.
   */
  visitFitting(
    room: NodeRoom,
    roomNumber: number,
    isReady: (info: QueuedPodInfo) => boolean,
    visit: (info: QueuedPodInfo, demand: RoomDemand) => void,
  ): readonly WaitingForRoom[] {
    const notReady: WaitingForRoom[] = []
    const heads = createKeyedHeap<{
      readonly pod: OrderedPod
      readonly shape: Shape
      readonly rest: Iterator<OrderedPod>
    }>((a, b) => this.#compare(a.pod, b.pod))
    const advance = (shape: Shape, rest: Iterator<OrderedPod>): void => {
      if (!room.fits(shape.demand)) return
      let skipped = 0
      for (let next = rest.next(); next.done !== true; next = rest.next()) {
        const { info, isRemoved, seenRoom } = next.value
        if (isRemoved || seenRoom >= roomNumber) continue
        if (!isReady(info)) {
          skipped += 1
          if (skipped <= MAX_NOT_READY) notReady.push({ info, demand: shape.demand, seenRoom })
          continue
        }
        heads.set(shape.demand.key, { pod: next.value, shape, rest })
        return
      }
    }
    for (const shape of this.#fitting(room)) advance(shape, shape.pods.values())
    for (let head = heads.pop(); head !== undefined; head = heads.pop()) {
      const { pod, shape, rest } = head
      if (room.fits(shape.demand)) visit(pod.info, shape.demand)
      advance(shape, rest)
    }
    return notReady
  }

  *#fitting(room: NodeRoom): Generator<Shape> {
    for (const name of room.resourceNames) {
      for (const { claimant, shapes } of this.#byScarcest.get(name)?.values() ?? []) {
        const free = room.free(name, claimant)
        for (const shape of shapes) {
          if ((shape.demand.amounts.get(name) ?? 0n) > free) break
          if (room.fits(shape.demand)) yield shape
        }
      }
    }
  }

  #createShape(demand: RoomDemand): Shape {
    const shape = { demand, pods: new OrderedPods(this.#compare) }
    this.#shapes.set(demand.key, shape)
    const { scarcest, claimant } = demand
    const byClaimant = this.#byScarcest.get(scarcest) ?? new Map<string, ClaimantShapes>()
    this.#byScarcest.set(scarcest, byClaimant)
    const ofClaimant = byClaimant.get(claimant.key) ?? { claimant, shapes: [] }
    byClaimant.set(claimant.key, ofClaimant)
    const { shapes } = ofClaimant
    const amountOf = (each: Shape): bigint => each.demand.amounts.get(scarcest) ?? 0n
    insertSorted(shapes, shape, (a, b) => (amountOf(a) < amountOf(b) ? -1 : amountOf(a) > amountOf(b) ? 1 : 0))
    return shape
  }

  #deleteShape(shape: Shape): void {
    this.#shapes.delete(shape.demand.key)
    const { scarcest, claimant } = shape.demand
    const byClaimant = this.#byScarcest.get(scarcest)
    const shapes = byClaimant?.get(claimant.key)?.shapes ?? []
    const index = shapes.indexOf(shape)
    if (index >= 0) shapes.splice(index, 1)
    if (shapes.length === 0) byClaimant?.delete(claimant.key)
    if (byClaimant?.size === 0) this.#byScarcest.delete(scarcest)
  }
}
