import { isDeepStrictEqual } from 'node:util'
import { pause } from '@berth/clock'
import { readPodGroup } from '@berth/fit-engine'
import type { Cluster, Reflector } from '@berth/k8s-client'
import type { Clock, KubernetesObject, Logger, PodGroup, PodGroupApi, PodGroupRef, Random } from '@berth/types'
import { POD_GROUPS, podGroupApis, podGroupResource, type PodGroupApiVersions } from './pod-group-apis.ts'

/** Interval between checks whether the cluster serves pod groups, and in which version. */
const DISCOVERY_MS = 60_000
/** The wait after a check that failed; it doubles up to {@link DISCOVERY_MS}. */
const RETRY_MS = 1_000

/** Dependencies of {@link mirrorPodGroups}. */
export interface PodGroupsOptions {
  readonly cluster: Pick<Cluster, 'reflect' | 'servedResources'>
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  /** Called with each group that cannot be read; the view does not contain it. */
  readonly onUnreadable?: () => void
}

/** The pod groups of the cluster. Unlike other objects, they never pause the scheduling of pods that have no group. */
export interface PodGroupView extends AsyncDisposable {
  /** Returns whether the API is served; undefined before it is known, and before the groups have been read. */
  isServed(api: PodGroupApi): boolean | undefined
  get(ref: PodGroupRef): PodGroup | undefined
  /**
   * Calls `listener` with each group that is added or deleted or whose spec changed. Calls it without a group when an
   * API begins or ceases to be served, and when the first list of its groups is complete. Changes of the status, which
   * the scheduler itself writes, are left out.
   *
   * @returns A function that ends the subscription.
   */
  subscribe(listener: (changed?: PodGroupRef) => void): () => void
}

interface Mirror {
  readonly version: string
  readonly reflector: Reflector<ReadObject>
}

/** A group as the reflector stores it. */
interface ReadObject extends KubernetesObject {
  readonly group: PodGroup
}

function withoutStatus(group: PodGroup): object {
  const { metadata, conditions: _, ...rest } = group
  return { ...rest, uid: metadata.uid }
}

/**
 * Mirrors the pod groups of each API that the cluster serves, in the first version of {@link podGroupApis} that it
 * serves. An API that is not served is not watched; it is picked up about a minute after it appears.
 */
export function mirrorPodGroups(options: PodGroupsOptions): PodGroupView {
  const { cluster, clock, random, log } = options
  const stop = new AbortController()
  const served = new Map<PodGroupApi, boolean>()
  const mirrors = new Map<PodGroupApi, Mirror>()
  const listeners = new Set<(changed?: PodGroupRef) => void>()
  const notify = (changed?: PodGroupRef): void => {
    for (const listener of listeners) listener(changed)
  }

  const startMirror = (api: PodGroupApi, version: string): Mirror => {
    const reflector = cluster.reflect<ReadObject>(podGroupResource(api, version), {
      mayBeAbsent: true,
      project(object) {
        try {
          const group = readPodGroup(object, api, version)
          return { metadata: group.metadata, group }
        } catch (error) {
          options.onUnreadable?.()
          throw error
        }
      },
    })
    reflector.subscribe({
      onAdd: ({ group }) => notify(group.ref),
      onUpdate(old, { group }) {
        if (!isDeepStrictEqual(withoutStatus(old.group), withoutStatus(group))) notify(group.ref)
      },
      onDelete: ({ group }) => notify(group.ref),
    })
    // `isServed` returns true only from now on, so the calls for the listed groups came too early.
    void reflector.waitForSync(stop.signal).then(
      () => notify(),
      () => undefined,
    )
    return { version, reflector }
  }

  /** Reads which version is served, and mirrors that one. */
  const discover = async ({ api, versions }: PodGroupApiVersions): Promise<void> => {
    let version: string | undefined
    for (const each of versions) {
      const resources = await cluster.servedResources(`${api}/${each}`, { signal: stop.signal })
      if (resources.has(POD_GROUPS)) {
        version = each
        break
      }
    }
    const current = mirrors.get(api)
    if (stop.signal.aborted || (served.has(api) && current?.version === version)) return
    mirrors.delete(api)
    served.set(api, version !== undefined)
    if (version !== undefined) {
      log.info({ api, version }, 'The cluster serves pod groups')
      mirrors.set(api, startMirror(api, version))
    } else if (current !== undefined) log.info({ api }, 'The cluster no longer serves pod groups')
    notify()
    await current?.reflector[Symbol.asyncDispose]()
  }

  const run = async (): Promise<void> => {
    let retryMs = RETRY_MS
    while (!stop.signal.aborted) {
      let waitMs = DISCOVERY_MS
      try {
        for (const each of podGroupApis) await discover(each)
        retryMs = RETRY_MS
      } catch (error) {
        if (stop.signal.aborted) return
        log.warn({ err: error }, 'Cannot read whether the cluster serves pod groups; members of groups wait')
        waitMs = retryMs
        retryMs = Math.min(DISCOVERY_MS, retryMs * 2)
      }
      await pause(clock, waitMs * (1 + 0.1 * random()), stop.signal)
    }
  }
  const running = run()

  return {
    isServed(api) {
      if (served.get(api) !== true) return served.get(api)
      return mirrors.get(api)?.reflector.hasSynced() === true ? true : undefined
    },
    get: ({ api, namespace, name }) => mirrors.get(api)?.reflector.store.get(`${namespace}/${name}`)?.group,
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async [Symbol.asyncDispose]() {
      stop.abort(new Error('the view of pod groups is closed'))
      listeners.clear()
      await running
      await Promise.all([...mirrors.values()].map(({ reflector }) => reflector[Symbol.asyncDispose]()))
    },
  }
}
