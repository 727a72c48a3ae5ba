import { sleep } from '@berth/clock'
import type { Clock, Logger } from '@berth/types'
import { isDeepStrictEqual } from 'node:util'
import type { ResourceEntry } from './config.ts'
import type { ResourceWithSource } from './create-sources.ts'
import { createProbes } from './health/create-probes.ts'
import type { ResourcePlugin, ResourceSettings } from './resource-plugin.ts'
import type { DeviceUsage } from './usage/device-usage.ts'

/** The resources that this process serves. Disposing ends all of them. */
export interface ResourceSet extends AsyncDisposable {
  plugins(): readonly ResourcePlugin[]
  /** Starts new resources, changes others without a new stream, and ends those that are not configured any more. */
  apply(resources: readonly ResourceWithSource[]): Promise<void>
  isWithdrawn(): boolean
  /** Withdraws the devices of all resources from the kubelet, or offers them again. */
  withdraw(isWithdrawn: boolean): void
  /** Keeps the devices that containers hold in the lists. @param askedAtMs - As {@link ResourcePlugin.hold}. */
  hold(usage: DeviceUsage, askedAtMs: number): void
}

/** Time for the kubelet to read the list of a withdrawal before the socket disappears. */
export const LAST_LIST_MS = 1_000

/** Converts a configured resource to the settings of its plugin. */
export function settingsOf({ entry, source }: ResourceWithSource): ResourceSettings {
  return {
    source,
    keepMissingMs: entry.keepMissingSeconds * 1000,
    probeMs: entry.probeSeconds * 1000,
    probes: createProbes(entry.health),
    allocationPolicy: entry.allocationPolicy,
    container: entry.container,
    usesCdi: entry.cdi,
    preStart: entry.preStart,
  }
}

/** Creates an empty set. */
export function createResourceSet(options: {
  readonly start: (resource: ResourceWithSource) => ResourcePlugin
  readonly clock: Clock
  readonly log: Logger
}): ResourceSet {
  const { start, clock, log } = options
  const running = new Map<string, { readonly plugin: ResourcePlugin; readonly entry: ResourceEntry }>()
  let isWithdrawn = false
  let isDisposed = false

  async function end(name: string, plugin: ResourcePlugin): Promise<void> {
    // The node shows 0 at its next status sync, because nothing offers the resource any more.
    plugin.withdraw(true)
    // The kubelet drops a plugin whose socket disappears, also when it has not read the last list yet.
    await sleep(clock, LAST_LIST_MS)
    await plugin[Symbol.asyncDispose]()
    log.info({ resourceName: name }, 'Ended a resource that is not configured any more')
  }

  return {
    plugins: () => [...running.values()].map(({ plugin }) => plugin),
    async apply(resources) {
      if (isDisposed) return
      const names = new Set(resources.map(({ entry }) => entry.name))
      const gone = [...running].filter(([name]) => !names.has(name))
      for (const [name] of gone) running.delete(name)
      // First, because a new resource may have an id of an old one.
      await Promise.all(gone.map(([name, { plugin }]) => end(name, plugin)))
      if (isDisposed) return
      for (const resource of resources) {
        const { entry } = resource
        const known = running.get(entry.name)
        if (known !== undefined && isDeepStrictEqual(known.entry, entry)) continue
        if (known === undefined) {
          const plugin = start(resource)
          plugin.withdraw(isWithdrawn)
          running.set(entry.name, { plugin, entry })
        } else {
          known.plugin.reconfigure(settingsOf(resource))
          running.set(entry.name, { plugin: known.plugin, entry })
          log.info({ resourceName: entry.name }, 'Changed a resource')
        }
      }
    },
    isWithdrawn: () => isWithdrawn,
    withdraw(next) {
      isWithdrawn = next
      for (const { plugin } of running.values()) plugin.withdraw(next)
    },
    hold(usage, askedAtMs) {
      for (const { plugin } of running.values()) plugin.hold(usage.heldIds(plugin.resourceName), askedAtMs)
    },
    // In parallel, because each may need a second to end its calls.
    async [Symbol.asyncDispose]() {
      isDisposed = true
      await Promise.all([...running.values()].map(({ plugin }) => plugin[Symbol.asyncDispose]()))
    },
  }
}
