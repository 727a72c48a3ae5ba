import type { Pod } from '@berth/types'
import { type EncodedRequest, FIRST_SCALAR_INDEX } from './encoded-request.ts'
import { CPU, EPHEMERAL_STORAGE } from '../resources/resource-names.ts'

interface Count {
  /** Number of placed pods. */
  pods: number
  /** Number of placed pods that request each resource, by its id. */
  readonly requesters: Map<number, number>
}

/** Counts the placed pods of each priority, and which resources they request. */
export class PriorityCounts {
  #byPriority = new Map<number, Count>()

  /** Counts a placed pod, or with -1 no longer counts it. */
  change({ spec }: Pod, request: EncodedRequest, sign: 1 | -1): void {
    const priority = spec.priority ?? 0
    let count = this.#byPriority.get(priority)
    if (count === undefined) this.#byPriority.set(priority, (count = { pods: 0, requesters: new Map() }))
    count.pods += sign
    if (count.pods === 0) {
      this.#byPriority.delete(priority)
      return
    }
    const { requesters } = count
    for (let id = CPU; id <= EPHEMERAL_STORAGE; id++) if (request[id] !== 0) add(requesters, id, sign)
    for (let i = FIRST_SCALAR_INDEX; i < request.length; i += 2) add(requesters, Number(request[i]), sign)
  }

  /** Returns whether a placed pod has a lower priority. */
  hasBelow(priority: number): boolean {
    for (const each of this.#byPriority.keys()) if (each < priority) return true
    return false
  }

  /** Returns whether a placed pod of a lower priority requests the resource: cpu, memory, storage or a scalar one. */
  hasRequesterBelow(priority: number, resourceId: number): boolean {
    for (const [each, { requesters }] of this.#byPriority) {
      if (each < priority && (requesters.get(resourceId) ?? 0) > 0) return true
    }
    return false
  }

  copy(): PriorityCounts {
    const copy = new PriorityCounts()
    for (const [priority, { pods, requesters }] of this.#byPriority) {
      copy.#byPriority.set(priority, { pods, requesters: new Map(requesters) })
    }
    return copy
  }
}

function add(requesters: Map<number, number>, id: number, sign: 1 | -1): void {
  const count = (requesters.get(id) ?? 0) + sign
  if (count === 0) requesters.delete(id)
  else requesters.set(id, count)
}
