import type { Pod } from '@berth/types'
import { podUid } from './pod-key.ts'

const nobody: readonly Pod[] = []

/** Waiting pods for which a node is kept free. */
export class Nominations {
  #nodeByKey = new Map<string, string>()
  #podsByNode = new Map<string, readonly Pod[]>()

  get isEmpty(): boolean {
    return this.#podsByNode.size === 0
  }

  /** Names of nodes that somebody is nominated for. */
  nodeNames(): Iterable<string> {
    return this.#podsByNode.keys()
  }

  podsOn(nodeName: string): readonly Pod[] {
    return this.#podsByNode.get(nodeName) ?? nobody
  }

  /** Moves the pod's nomination to the node; an empty name only takes it away. */
  set(pod: Pod, nodeName: string): void {
    this.remove(pod)
    if (nodeName === '') return
    this.#nodeByKey.set(podUid(pod), nodeName)
    this.#podsByNode.set(nodeName, [...this.podsOn(nodeName), pod])
  }

  /** Says whether there was a nomination. */
  remove(pod: Pod): boolean {
    const key = podUid(pod)
    const nodeName = this.#nodeByKey.get(key)
    if (nodeName === undefined) return false
    this.#nodeByKey.delete(key)
    const rest = this.podsOn(nodeName).filter((other) => podUid(other) !== key)
    if (rest.length === 0) this.#podsByNode.delete(nodeName)
    else this.#podsByNode.set(nodeName, rest)
    return true
  }

  copy(): Nominations {
    const copy = new Nominations()
    copy.#nodeByKey = new Map(this.#nodeByKey)
    copy.#podsByNode = new Map(this.#podsByNode)
    return copy
  }
}
