import { setTimeout as pause } from 'node:timers/promises'
import { type ApiClient, resourceRefs } from '@berth/k8s-client'
import { eventually } from '@berth/testing'
import type { KubernetesObject, Pod } from '@berth/types'

interface Event extends KubernetesObject {
  readonly reason?: string
  readonly note?: string
}

/** Pods that are created, bound and deleted, one after the other in several lanes. Disposing ends it. */
export interface PodLoad extends AsyncDisposable {
  /** Returns the number of pods that have been bound. */
  bound(): number
  /** Returns the notes of all events about pods that were not scheduled at once. */
  failures(): Promise<readonly string[]>
}

const LANES = 4
const WAIT_MS = 60_000

/** Options of {@link startPodLoad}. */
export interface PodLoadOptions {
  /** Amounts that each pod requests. Default: none. */
  readonly requests?: Readonly<Record<string, string>>
  /** Pods at a time. Default: 4. */
  readonly lanes?: number
  /** How long a pod stays on its node, milliseconds. Default: 0. */
  readonly holdMs?: number
  /** Pause between two reads of a pod, milliseconds. Default: 10. */
  readonly intervalMs?: number
}

/** Starts to create pods in the namespace default. */
export function startPodLoad(client: ApiClient, schedulerName: string, options: PodLoadOptions = {}): PodLoad {
  const { requests = {}, lanes = LANES, holdMs = 0, intervalMs = 10 } = options
  const stop = new AbortController()
  let bound = 0
  const placeOne = async (name: string): Promise<void> => {
    const target = { namespace: 'default', name }
    const containers = [{ name: 'main', image: 'none', resources: { requests, limits: requests } }]
    await client.create<Pod>(resourceRefs.pods, { metadata: target, spec: { schedulerName, containers } })
    await eventually(async () => (await client.get<Pod>(resourceRefs.pods, target)).spec.nodeName, {
      what: `${name} to be bound`,
      timeoutMs: WAIT_MS,
      intervalMs,
      signal: new AbortController().signal,
    })
    bound += 1
    await pause(holdMs)
    await client.delete(resourceRefs.pods, target, { gracePeriodSeconds: 0 })
  }
  const running = Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      for (let i = 0; !stop.signal.aborted; i += 1) await placeOne(`load-${lane}-${i}`)
    }),
  )
  // Reported by the one who disposes it.
  running.catch(() => undefined)
  return {
    bound: () => bound,
    async failures() {
      const { items } = await client.list<Event>(resourceRefs.events, { namespace: 'default' })
      return items.flatMap(({ reason, note = '' }) => (reason === 'FailedScheduling' ? [note] : []))
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }
}
