import type { Pod } from '@berth/types'
import { podUid } from './pod-uid.ts'

const noPods: readonly Pod[] = []

/** Pending pods and the node that is nominated for each of them. */
export class Nominations {
  #nodeByUid = new Map<string, string>()
  #podsByNode = new Map<string, readonly Pod[]>()

  get isEmpty(): boolean {
    return this.#podsByNode.size === 0
  }

  /** Names of the nodes that are nominated for at least one pod. */
  nodeNames(): Iterable<string> {
    return this.#podsByNode.keys()
  }

  podsOn(nodeName: string): readonly Pod[] {
    return this.#podsByNode.get(nodeName) ?? noPods
  }

  /** Nominates the node for the pod in place of its earlier nomination. An empty name only removes that one. */
  set(pod: Pod, nodeName: string): void {
    this.remove(pod)
    if (nodeName === '') return
    this.#nodeByUid.set(podUid(pod), nodeName)
    this.#podsByNode.set(nodeName, [...this.podsOn(nodeName), pod])
  }

  /** Removes the pod's nomination. Returns whether there was one. */
  remove(pod: Pod): boolean {
    const uid = podUid(pod)
    const nodeName = this.#nodeByUid.get(uid)
    if (nodeName === undefined) return false
    this.#nodeByUid.delete(uid)
    const rest = this.podsOn(nodeName).filter((other) => podUid(other) !== uid)
    if (rest.length === 0) this.#podsByNode.delete(nodeName)
    else this.#podsByNode.set(nodeName, rest)
    return true
  }

  copy(): Nominations {
    const copy = new Nominations()
    copy.#nodeByUid = new Map(this.#nodeByUid)
    copy.#podsByNode = new Map(this.#podsByNode)
    return copy
  }
}
