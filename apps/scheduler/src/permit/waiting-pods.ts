import type { WaitingPod, WaitingPods } from '@berth/plugin-api'
import { formatDurationMs } from '@berth/scheduler-config'
import type { Clock, Pod, Timer } from '@berth/types'
import { podUid } from '../queue/queued-pod.ts'

/** How the wait of a pod ended. */
export type PermitDecision =
  | { readonly kind: 'passed' }
  /** A plugin rejected the pod, or did not allow it in time: the pod is unschedulable. */
  | { readonly kind: 'rejected'; readonly plugin: string; readonly message: string }
  /** A pod of higher priority takes the room: the pod is retried. */
  | { readonly kind: 'preempted'; readonly plugin: string }
  /** The attempt ends with an error: the pod is retried. */
  | { readonly kind: 'failed'; readonly error: Error }
  /** The pod was deleted or bound by another scheduler, or this scheduler stops. */
  | { readonly kind: 'abandoned' }

/** One pod in the permit phase. Nothing happens after the first decision. */
export interface PermitWait {
  /**
   * Records that the plugin delays the pod; a second call for the same plugin replaces the timeout. Does nothing when the
   * plugin has allowed the pod in the meantime.
   */
  delay(plugin: string, timeoutMs: number): void
  allow(plugin: string): void
  /** Resolves when this plugin no longer delays the pod: it allowed the pod, or the wait ended. */
  whenAllowed(plugin: string): Promise<void>
  /** Undefined while the pod waits. */
  readonly decision: PermitDecision | undefined
  /**
   * Resolves when no plugin delays the pod, or a decision ended the wait. Call it after the permit hooks of all
   * plugins.
   */
  whenDecided(): Promise<PermitDecision>
  /** Makes the pod visible to plugins. */
  publish(): void
  /** Removes the pod. */
  leave(): void
}

/** The pods of a scheduler that are in the permit phase. */
export interface WaitingPodRegistry {
  /** Adds a pod; it is not visible before {@link PermitWait.publish}. */
  enter(pod: Pod, nodeName: string): PermitWait
  /** Returns the waiting pods, the longest waiting first. */
  list(): readonly Pick<WaitingPod, 'pod' | 'nodeName' | 'pendingPlugins'>[]
  /** Returns the registry as a plugin sees it: it allows and rejects pods in the name of the plugin. */
  for(plugin: string): WaitingPods
  /** Ends the wait of a pod that a pod of higher priority replaces. Returns false when the pod does not wait. */
  preempt(uid: string, plugin: string): boolean
  /** Ends the wait of a pod that is deleted or bound. */
  abandon(uid: string): void
  /** Ends every wait with an error, so that the pods are retried. */
  failAll(error: Error): void
  /** Ends every wait, also of pods that enter later. */
  close(): void
  readonly size: number
}

interface Entry extends PermitWait {
  readonly pod: Pod
  readonly nodeName: string
  readonly pending: ReadonlyMap<string, unknown>
  decide(decision: PermitDecision): boolean
}

/**
 * Creates an empty registry.
 *
 * @see kubernetes/kubernetes pkg/scheduler/framework/runtime/waiting_pods_map.go (v1.36)
 */
export function createWaitingPods(clock: Clock): WaitingPodRegistry {
  const entries = new Map<string, Entry>()
  const published = new Map<string, Entry>()
  let isClosed = false

  const viewFor = (plugin: string, entry: Entry): WaitingPod => ({
    ...describe(entry),
    allow: () => entry.allow(plugin),
    reject: (message) => entry.decide({ kind: 'rejected', plugin, message }),
  })

  return {
    list: () => Array.from(published.values(), describe),
    enter(pod, nodeName) {
      const uid = podUid(pod)
      const entry = createEntry(pod, nodeName, clock, {
        publish: () => void published.set(uid, entry),
        leave() {
          entries.delete(uid)
          published.delete(uid)
        },
      })
      entries.set(uid, entry)
      if (isClosed) entry.decide({ kind: 'abandoned' })
      return entry
    },
    for: (plugin) => ({
      list: () => Array.from(published.values(), (entry) => viewFor(plugin, entry)),
      get(uid) {
        const entry = published.get(uid)
        return entry && viewFor(plugin, entry)
      },
    }),
    preempt: (uid, plugin) => entries.get(uid)?.decide({ kind: 'preempted', plugin }) ?? false,
    abandon: (uid) => void entries.get(uid)?.decide({ kind: 'abandoned' }),
    failAll(error) {
      for (const entry of entries.values()) entry.decide({ kind: 'failed', error })
    },
    close() {
      isClosed = true
      for (const entry of entries.values()) entry.decide({ kind: 'abandoned' })
    },
    get size() {
      return published.size
    },
  }
}

function describe({ pod, nodeName, pending }: Entry): Pick<WaitingPod, 'pod' | 'nodeName' | 'pendingPlugins'> {
  return { pod, nodeName, pendingPlugins: () => [...pending.keys()] }
}

interface Delay {
  timer: Timer
  readonly allowed: Promise<void>
  readonly resolve: () => void
}

function createEntry(pod: Pod, nodeName: string, clock: Clock, hooks: Pick<PermitWait, 'publish' | 'leave'>): Entry {
  const delays = new Map<string, Delay>()
  const known = new Set<string>()
  const decided = Promise.withResolvers<PermitDecision>()
  let decision: PermitDecision | undefined
  let areAllAsked = false

  const release = (plugin: string, { timer, resolve }: Delay): void => {
    timer.cancel()
    delays.delete(plugin)
    resolve()
  }
  const decide = (made: PermitDecision): boolean => {
    if (decision !== undefined) return false
    decision = made
    for (const [plugin, delay] of delays) release(plugin, delay)
    decided.resolve(made)
    return true
  }
  const passIfAllowed = (): void => {
    if (areAllAsked && delays.size === 0) decide({ kind: 'passed' })
  }
  const startTimer = (plugin: string, timeoutMs: number): Timer =>
    clock.setTimer(timeoutMs, () => {
      const message = `rejected due to timeout after waiting ${formatDurationMs(timeoutMs)} at plugin ${plugin}`
      decide({ kind: 'rejected', plugin, message })
    })

  return {
    ...hooks,
    pod,
    nodeName,
    pending: delays,
    decide,
    get decision() {
      return decision
    },
    delay(plugin, timeoutMs) {
      if (decision !== undefined) return
      const existing = delays.get(plugin)
      if (existing !== undefined) {
        existing.timer.cancel()
        existing.timer = startTimer(plugin, timeoutMs)
        return
      }
      if (known.has(plugin)) return
      known.add(plugin)
      const { promise, resolve } = Promise.withResolvers<undefined>()
      delays.set(plugin, { timer: startTimer(plugin, timeoutMs), allowed: promise, resolve: () => resolve(undefined) })
    },
    allow(plugin) {
      const delay = delays.get(plugin)
      if (delay !== undefined) release(plugin, delay)
      passIfAllowed()
    },
    whenAllowed: (plugin) => delays.get(plugin)?.allowed ?? Promise.resolve(),
    whenDecided() {
      areAllAsked = true
      passIfAllowed()
      return decided.promise
    },
  }
}
