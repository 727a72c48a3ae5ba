import { fakeClock } from '@berth/clock/testing'
import type { ClusterChange } from '@berth/cluster-view'
import {
  type ClusterState,
  createClusterState,
  createFramework,
  decide,
  type Decision,
  defaultPlugins,
  POD_GROUP_LABEL,
} from '@berth/fit-engine'
import { type DecidePlugin, type Pod, silentLogger, StatusCode } from '@berth/types'
import { feedQueue } from '../src/queue/feed-queue.ts'
import { createIsHelpedBy } from '../src/queue/is-helped-by.ts'
import { podUid, prioritySort, type QueuedPodInfo } from '../src/queue/queued-pod.ts'
import { GANG_SCHEDULING } from '../src/queue/rejectors.ts'
import { createSchedulingQueue, defaultBackoff } from '../src/queue/scheduling-queue.ts'
import { createWakeIndex } from '../src/queue/wake-ups/create-wake-index.ts'
import type { WakeIndex } from '../src/queue/wake-ups/wake-index.ts'

/** Members that a group needs to be placed. */
export const GROUP_SIZE = 2
/** Pods with this annotation fit only nodes that have it. */
export const BLESSED = 'example.com/blessed'

const input = { nowMs: 0, random: () => 0 }

/** A contributed plugin without a queueing hint, which reads what no built-in plugin reads. */
const blessing: DecidePlugin = {
  name: 'Blessing',
  filter({ metadata }, candidates, output, { cluster }) {
    if (metadata.annotations?.[BLESSED] === undefined) return
    for (let i = 0; i < candidates.count; i++) {
      const row = candidates.rows[i] ?? 0
      if (cluster.node(row).metadata.annotations?.[BLESSED] === undefined)
        output.reject(i, StatusCode.Unschedulable, 'the node is not blessed')
    }
  },
}
const framework = createFramework({ plugins: [...defaultPlugins(), { plugin: blessing, weight: 0 }] })

/** Returns the name of the pod's group; undefined for a pod that is placed on its own. */
export function groupOf({ metadata }: Pod): string | undefined {
  return metadata.labels?.[POD_GROUP_LABEL]
}

/** The queue with a cluster and a scheduler that attempts pods and groups one after the other, in virtual time. */
export class WakeUpWorld implements Disposable {
  readonly state = createClusterState()
  readonly bound = new Map<string, Pod>()
  /** The parked pods that the hints of their plugins would have requeued since the last call of `settle`. */
  readonly hinted = new Set<string>()
  readonly queue
  attempts = 0
  /** Number of binds that fail from now on. */
  failures = 0
  readonly #clock = fakeClock({ turns: 0 })
  readonly #flying: QueuedPodInfo[] = []
  readonly #members = new Map<string, Set<string>>()
  readonly #isHelpedBy = createIsHelpedBy(
    () => undefined,
    () => false,
    silentLogger,
  )

  /**
   * @param plant - Changes the index, to see that a mistake is found.
   * @param indexAbove - See SchedulingQueueOptions.
   */
  constructor(plant: (index: WakeIndex) => WakeIndex = (index) => index, indexAbove = 0) {
    const { state } = this
    const isHelpedBy = this.#isHelpedBy
    const wakeIndex = createWakeIndex({
      frameworkOf: () => framework,
      isHelpedBy,
      view: { state, nominatedNode: () => undefined },
      log: silentLogger,
    })
    this.queue = createSchedulingQueue({
      clock: this.#clock,
      compare: prioritySort,
      isHelpedBy,
      wakeIndex: plant(wakeIndex),
      indexAbove,
      podGroupOf: groupOf,
      groupHold: (pod) =>
        this.#membersOf(pod).size < (groupOf(pod) === undefined ? 0 : GROUP_SIZE) ? 'small' : undefined,
      backoff: defaultBackoff,
      // A lost wake-up must not be hidden by the flush.
      flushAfterMs: 10 ** 12,
      flushEveryMs: 10 ** 11,
    })
  }

  #membersOf(pod: Pod): Set<string> {
    const group = groupOf(pod)
    if (group === undefined) return new Set()
    const members = this.#members.get(group) ?? new Set()
    this.#members.set(group, members)
    return members
  }

  /** Tells the queue of a change that the state has. */
  observe(change: ClusterChange): void {
    for (const { place, info } of this.queue.pods())
      if (place === 'unschedulable' && this.#isHelpedBy(info, change)) this.hinted.add(info.key)
    feedQueue(this.queue, change, () => true)
  }

  add(pod: Pod): void {
    const members = this.#membersOf(pod)
    members.add(pod.metadata.name ?? '')
    this.observe({ kind: 'pod-added', pod })
    if (members.size >= GROUP_SIZE) this.queue.requeueGroup(groupOf(pod))
  }

  /** Deletes a bound or waiting pod. */
  remove(pod: Pod): void {
    const key = pod.metadata.name ?? ''
    this.#membersOf(pod).delete(key)
    const i = this.#flying.findIndex((info) => info.key === key)
    if (i >= 0) this.#flying.splice(i, 1)
    const latest = this.bound.get(key) ?? pod
    this.bound.delete(key)
    this.state.deletePod(latest)
    this.observe({ kind: 'pod-deleted', pod: latest })
  }

  /** Takes pods from the queue, until this many are in flight. */
  popUpTo(count: number): void {
    while (this.#flying.length < count) {
      const info = this.queue.pop()
      if (info === undefined) return
      this.#flying.push(info)
    }
  }

  /** Ends the attempts in flight, then makes attempts until no pod can be popped, even after its backoff. */
  async settle(): Promise<void> {
    for (let info = this.#flying.shift(); info !== undefined; info = this.#flying.shift()) this.#attempt(info)
    const limit = this.attempts + 2_000
    for (let idle = 0; idle < 2; idle++) {
      await this.#clock.advance(11_000)
      for (let info = this.queue.pop(); info !== undefined; info = this.queue.pop()) {
        idle = 0
        this.#attempt(info)
        if (this.attempts > limit) throw new Error('the attempts do not end')
      }
    }
  }

  decide(pod: Pod, state: ClusterState = this.state): Decision {
    return decide(framework, state, pod, { ...input, rejections: 'when-none-fits' })
  }

  /** Returns whether an attempt with these members would place them together. */
  fitTogether(pods: readonly Pod[]): boolean {
    const fork = this.state.fork()
    for (const pod of pods.toSorted((a, b) => (podUid(a) < podUid(b) ? -1 : 1))) {
      const nodeName = this.decide(pod, fork).feasible.at(-1)
      if (nodeName === undefined) return false
      fork.assume(pod, nodeName)
    }
    return true
  }

  #attempt(info: QueuedPodInfo): void {
    this.attempts += 1
    if (groupOf(info.pod) !== undefined) return this.#attemptGroup(info)
    const decision = this.decide(info.pod)
    const nodeName = decision.feasible.at(-1)
    if (nodeName === undefined) this.queue.addUnschedulable(info, rejectorsOf(decision))
    else this.#bind(info, nodeName)
  }

  /** Places all waiting members or none. */
  #attemptGroup(first: QueuedPodInfo): void {
    const names = [...this.#membersOf(first.pod)]
    const infos = [first, ...names.flatMap((name) => this.queue.popPod(name) ?? [])].toSorted((a, b) =>
      a.key < b.key ? -1 : 1,
    )
    const fork = this.state.fork()
    const placed: { readonly info: QueuedPodInfo; readonly nodeName: string }[] = []
    const rejected: { readonly info: QueuedPodInfo; readonly rejectors: ReadonlySet<string> }[] = []
    for (const info of infos) {
      const decision = this.decide(info.pod, fork)
      const nodeName = decision.feasible.at(-1)
      if (nodeName === undefined) rejected.push({ info, rejectors: rejectorsOf(decision) })
      else {
        fork.assume(info.pod, nodeName)
        placed.push({ info, nodeName })
      }
    }
    for (const { info, rejectors } of rejected) this.queue.addUnschedulable(info, rejectors)
    for (const { info, nodeName } of placed) {
      if (rejected.length > 0) this.queue.addUnschedulable(info, new Set([GANG_SCHEDULING]))
      else this.#bind(info, nodeName)
    }
  }

  #bind(info: QueuedPodInfo, nodeName: string): void {
    this.state.assume(info.pod, nodeName)
    this.queue.leaveGroups(info.key, 'node-chosen')
    const pod = { ...info.pod, spec: { ...info.pod.spec, nodeName } }
    if (this.failures > 0) {
      this.failures -= 1
      this.state.forget(info.pod)
      this.queue.retryAfterBackoff(info)
      this.queue.onClusterChange({ kind: 'pod-deleted', pod }, info.key)
      return
    }
    this.queue.done(info.key)
    this.bound.set(info.key, pod)
    this.state.setPod(pod)
    this.observe({ kind: 'pod-updated', old: info.pod, pod })
  }

  [Symbol.dispose](): void {
    this.queue[Symbol.dispose]()
  }
}

function rejectorsOf({ rejectionGroups }: Decision): ReadonlySet<string> {
  return new Set(rejectionGroups.flatMap(({ plugin }) => plugin.split(', ')))
}
