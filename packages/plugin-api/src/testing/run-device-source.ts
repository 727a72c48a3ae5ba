import { errorText } from '@berth/text/error-text'
import { isDeepStrictEqual } from 'node:util'
import type { Allocation, Device } from '@berth/types'
import { contractBreach, frozen } from './contract-breach.ts'
import { createChecked } from './create-checked.ts'
import { inTime } from './in-time.ts'
import { kitEnv } from './kit-env.ts'

/** Options of {@link runDeviceSource}. */
export interface RunDeviceSourceOptions {
  /** Arguments of the plugin. Default: none. */
  readonly args?: unknown
  /** Deadline for the first inventory, an allocation and the end of discover, in milliseconds. Default: 2000. */
  readonly deadlineMs?: number
}

/**
 * Checks a device source against its contract: an inventory in time, unique and stable ids that the kubelet accepts, the
 * same allocation for the same devices, a preStart that succeeds, and an end when its signal is aborted.
 *
 * @returns The first inventory.
 * @throws PluginError BERTH_PLUGIN_CONTRACT naming the plugin and the broken rule; BERTH_PLUGIN_SHAPE, BERTH_PLUGIN_ARGS.
 */
export async function runDeviceSource(
  plugin: unknown,
  { args, deadlineMs = 2_000 }: RunDeviceSourceOptions = {},
): Promise<readonly Device[]> {
  const registry = createChecked(plugin, 'device-source')
  const name = registry.list()[0]?.name ?? ''
  const timed = <T>(what: string, promise: Promise<T>): Promise<T> => inTime(name, what, deadlineMs, promise)
  // The registry checks what the source returns.
  const breach = (error: unknown): never => {
    throw contractBreach(name, errorText(error), error)
  }

  const inventories: (readonly Device[])[] = []
  for (let round = 0; round < 2; round++) {
    const source = registry.createDeviceSource(name, args, kitEnv())
    const stop = new AbortController()
    const iterator = source.discover(stop.signal)[Symbol.asyncIterator]()
    const first = await timed('discover yielded no inventory', iterator.next().catch(breach))
    if (first.done === true) throw contractBreach(name, 'discover ended without an inventory')
    const devices = frozen(first.value)
    const fault = idFault(devices)
    if (fault !== undefined) throw contractBreach(name, fault)
    inventories.push(devices)
    if (devices.length > 0)
      await checkAllocations(
        name,
        (ids) => timed('allocate returned nothing', Promise.resolve(source.allocate(ids, devices))),
        devices,
      )
    for (const device of source.probe === undefined ? [] : devices) {
      await timed('probe returned nothing', source.probe?.(device, stop.signal).catch(breach) ?? Promise.reject())
    }
    const [id] = devices.map((device) => device.id)
    if (source.preStart !== undefined && id !== undefined) {
      await timed('preStart did not end', source.preStart([id], devices, stop.signal).catch(breach))
    }
    stop.abort()
    await timed('discover did not end after its signal was aborted', drained(iterator))
  }
  const ids = inventories.map((devices) => devices.map(({ id }) => id).toSorted())
  if (!isDeepStrictEqual(ids[0], ids[1]))
    throw contractBreach(name, 'a new source found other ids for the same devices')
  return inventories[0] ?? []
}

// A source may still yield pending inventories, but it must end.
async function drained(iterator: AsyncIterator<readonly Device[]>): Promise<void> {
  try {
    for (let step = 0; step < 100; step++) {
      if ((await iterator.next()).done === true) return
    }
  } catch {
    return
  }
  await new Promise<never>(() => {})
}

function idFault(devices: readonly Device[]): string | undefined {
  const ids = new Set<string>()
  for (const { id } of devices) {
    if (id === '' || id.length > 63) return `device id "${id}" is not 1 to 63 characters long`
    if (ids.has(id)) return `device id "${id}" occurs twice`
    ids.add(id)
  }
  return undefined
}

async function checkAllocations(
  name: string,
  allocate: (ids: readonly string[]) => Promise<Allocation>,
  devices: readonly Device[],
): Promise<void> {
  const ids = frozen(devices.map(({ id }) => id))
  for (const asked of [ids, frozen(ids.slice(0, 1))]) {
    let answers: readonly Allocation[]
    try {
      answers = [await allocate(asked), await allocate(asked)]
    } catch (error) {
      const reason = errorText(error)
      throw contractBreach(name, `allocate(${asked.join(', ')}) failed: ${reason}`, error)
    }
    if (!isDeepStrictEqual(answers[0], answers[1]))
      throw contractBreach(name, 'allocate returned different results for the same devices')
  }
}
