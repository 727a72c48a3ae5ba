import { backoffMs, jitter, withDeadline } from '@berth/clock'
import { errorText } from '@berth/text/error-text'
import type { DeviceSource } from '@berth/plugin-api'
import type { Clock, Device, Logger, Random, Timer } from '@berth/types'
import { realpath } from 'node:fs/promises'
import { containerPaths, refuseEqualContainerPaths, type ContainerAllocation } from '../container/add-to-allocation.ts'
import type { DeviceTable } from '../devices/device-table.ts'
import { printableLine } from '../printable.ts'
import { runInParallel } from '../run-in-parallel.ts'
import { toCdiDevice, type CdiDevice } from './cdi-devices.ts'
import { cdiClass, cdiDeviceName, cdiName } from './cdi-names.ts'

/** The devices are described again at this interval, because a link may lead elsewhere and a file may be deleted by hand. */
const RESYNC_INTERVAL_MS = 60_000
const RESYNC_JITTER = 0.1
const RETRY_LIMITS = { initialMs: 500, maxMs: 10_000 }
const RETRY_JITTER = 0.2
const DESCRIBE_TIMEOUT_MS = 10_000
const MAX_DESCRIBED_AT_ONCE = 16

/** Keeps the CDI file of a resource in step with its devices. Disposing leaves the file for the containers that run. */
export interface CdiPublisher extends Disposable {
  /**
   * Returns a source whose containers get CDI names in place of device nodes and mounts. Its `allocate` waits until the
   * file describes the devices.
   */
  handOver(source: DeviceSource): DeviceSource
  /** Uses this source for the file; undefined if the resource does not use CDI. */
  describeWith(source: DeviceSource | undefined): void
  /** Returns why the file is not up to date. */
  problem(): string | undefined
}

/** A device and what the file says about it. */
interface Described {
  readonly device: Device
  /** Undefined if the device adds nothing to a container. */
  readonly entry: CdiDevice | undefined
  /** Why the entry is not that of the device: it could not be described. */
  readonly failure?: string
}

/** Dependencies of {@link createCdiPublisher}. */
export interface CdiPublisherOptions {
  readonly resourceName: string
  readonly table: DeviceTable
  /** Writes the file of a class. Rejects if it was not written. */
  readonly put: (className: string, devices: readonly CdiDevice[]) => Promise<void>
  /** Follows the links of a host path. Default: those of this process's file system. */
  readonly resolve?: (hostPath: string) => Promise<string>
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

/** Creates a publisher that does nothing until {@link CdiPublisher.describeWith}. */
export function createCdiPublisher(options: CdiPublisherOptions): CdiPublisher {
  const { resourceName, table, put, resolve = followLinks, clock, random, log } = options
  const className = cdiClass(resourceName)
  let source: DeviceSource | undefined
  let described: ReadonlyMap<string, Described> = new Map()
  /** The devices of the last file that was written, by id. */
  let written: ReadonlyMap<string, Described> = new Map()
  let writtenText: string | undefined
  let problem: string | undefined
  let failures = 0
  let timer: Timer | undefined
  let queue = Promise.resolve()
  let isQueued = false
  let isDisposed = false

  async function describe(from: DeviceSource, device: Device, inventory: readonly Device[]): Promise<Described> {
    const { id } = device
    try {
      const entry = await withDeadline({ clock, deadlineMs: DESCRIBE_TIMEOUT_MS }, async () =>
        toCdiDevice(cdiDeviceName(id), await from.allocate([id], inventory), resolve),
      )
      return { device, entry }
    } catch (error) {
      log.debug({ err: error, resourceName, deviceId: id }, 'Could not describe a device for CDI')
      // A container that holds the device keeps what it had.
      return { device, entry: described.get(id)?.entry, failure: errorText(error) }
    }
  }

  /** @param retriedIds - Devices that are described again if that failed before. Default: none. */
  async function sync(isFull: boolean, retriedIds: readonly string[]): Promise<void> {
    const inventory = table.list()
    const from = source
    if (inventory === undefined || from === undefined || isDisposed) return
    const entries = await runInParallel(inventory, MAX_DESCRIBED_AT_ONCE, async (device) => {
      const known = described.get(device.id)
      const isRetried = known?.failure !== undefined && retriedIds.includes(device.id)
      const isKnown = !isFull && known?.device === device && !isRetried
      return [device.id, isKnown ? known : await describe(from, device, inventory)] as const
    })
    described = new Map(entries)
    const devices = entries.flatMap(([, { entry }]) => (entry === undefined ? [] : [entry]))
    const text = JSON.stringify(devices)
    if (isFull || text !== writtenText) await put(className, devices)
    writtenText = text
    written = described
  }

  function schedule(delayMs: number, isFull: boolean): void {
    timer?.cancel()
    timer = isDisposed || source === undefined ? undefined : clock.setTimer(delayMs, () => void run(isFull))
  }

  async function settle(result: Promise<void>): Promise<void> {
    try {
      await result
      failures = 0
      problem = undefined
      schedule(jitter(RESYNC_INTERVAL_MS, RESYNC_JITTER, random), true)
    } catch (error) {
      problem = `the CDI file is not up to date: ${printableLine(errorText(error))}`
      if (failures === 0) log.warn({ err: error, resourceName }, 'Could not write the CDI file')
      schedule(jitter(backoffMs(++failures, RETRY_LIMITS), RETRY_JITTER, random), true)
    }
  }

  /** Runs one sync after the other. Rejects when the file could not be written, which is also logged and retried. */
  function run(isFull: boolean, retriedIds: readonly string[] = []): Promise<void> {
    const result = queue.then(() => sync(isFull, retriedIds))
    queue = settle(result)
    return result
  }

  function onChange(): void {
    if (isQueued || source === undefined) return
    isQueued = true
    queue = queue.then(() => void (isQueued = false))
    void run(false)
  }

  const areWritten = (ids: readonly string[]): boolean =>
    ids.every((id) => {
      const device = table.get(id)
      const known = written.get(id)
      return device !== undefined && known?.device === device && known.failure === undefined
    })
  /** Without its entry, a container would get less than the device, or what it was before. */
  const refuseUndescribed = (ids: readonly string[]): void => {
    for (const id of ids) {
      const failure = written.get(id)?.failure
      if (failure !== undefined) throw new Error(`${id} cannot be described: ${failure}`)
    }
  }

  const unsubscribe = table.subscribe(onChange)
  return {
    handOver: (from) => ({
      ...from,
      async allocate(ids, devices): Promise<ContainerAllocation> {
        const own = await from.allocate(ids, devices)
        refuseEqualContainerPaths(own)
        if (!areWritten(ids)) await run(false, ids)
        refuseUndescribed(ids)
        const names = ids.filter((id) => written.get(id)?.entry !== undefined).map((id) => cdiName(resourceName, id))
        const { env = {}, annotations = {}, cdiDevices = [] } = own
        return { env, annotations, cdiDevices: [...cdiDevices, ...names], containerPaths: containerPaths(own) }
      },
    }),
    describeWith(next) {
      source = next
      described = new Map()
      // The file says what the earlier source gave to containers, so an allocation must wait for the next one.
      written = new Map()
      writtenText = undefined
      onChange()
    },
    problem: () => problem,
    [Symbol.dispose]() {
      isDisposed = true
      unsubscribe()
      timer?.cancel()
    },
  }
}

/** A path that this process cannot follow stays as it is: the node may have it. */
async function followLinks(hostPath: string): Promise<string> {
  return realpath(hostPath).catch(() => hostPath)
}
