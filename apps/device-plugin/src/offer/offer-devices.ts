import { matchesPattern, MAX_ID_LENGTH, shortHash } from '@berth/device-discovery'
import type { DeviceSource } from '@berth/plugin-api'
import type { Device } from '@berth/types'
import type { IgnoredDevice } from '../devices/device-table.ts'
import { physicalOf } from '../plugin-server/preferred-allocation/physical-of.ts'
import { isSelective, type OfferConfig } from './offer-config.ts'

/** A device that is offered several times. The source knows the original. */
interface Replica extends Device {
  readonly original: Device
}

/** A source that offers the devices that the configuration of a resource selects. */
export interface OfferedDevices {
  readonly source: DeviceSource
  /** Returns the devices of the last inventory that the configuration leaves out. */
  readonly leftOut: () => readonly IgnoredDevice[]
}

/**
 * Returns a source with the devices that the configuration selects, each as often as it says. An unchanged device is the same
 * object as in the inventory before. A configuration that changes nothing returns the source itself.
 */
export function offerDevices(source: DeviceSource, config: OfferConfig): OfferedDevices {
  const { replicas } = config
  if (replicas === 1 && !isSelective(config)) return { source, leftOut: () => [] }
  let leftOut: readonly IgnoredDevice[] = []
  const known = new WeakMap<Device, readonly Replica[]>()

  function replicate(device: Device): readonly Device[] {
    if (replicas === 1) return [device]
    const all = known.get(device) ?? Array.from({ length: replicas }, (_, index) => replicaOf(device, index))
    known.set(device, all)
    return all
  }

  async function* discover(signal: AbortSignal): AsyncIterable<readonly Device[]> {
    for await (const inventory of source.discover(signal)) {
      const reasons = new Map(inventory.map((device) => [device, leftOutReason(device, config)]))
      leftOut = [...reasons].flatMap(([{ id }, reason]) => (reason === undefined ? [] : [{ id, reason }]))
      yield inventory.filter((device) => reasons.get(device) === undefined).flatMap((device) => replicate(device))
    }
  }

  const probe = source.probe?.bind(source)
  const preStart = source.preStart?.bind(source)
  return {
    leftOut: () => leftOut,
    source: {
      discover,
      allocate(ids, devices) {
        const { originals, originalIds } = originalsOf(ids, devices)
        return source.allocate(originalIds, originals)
      },
      ...(probe !== undefined && { probe: (device, signal) => probe(originalOf(device), signal) }),
      ...(preStart !== undefined && {
        preStart(ids, devices, signal) {
          const { originals, originalIds } = originalsOf(ids, devices)
          return preStart(originalIds, originals, signal)
        },
      }),
    },
  }
}

function leftOutReason({ id, paths = [] }: Device, { include, exclude }: OfferConfig): string | undefined {
  const matches = (pattern: string): boolean => [id, ...paths].some((text) => matchesPattern(text, pattern))
  const excluding = exclude.find((pattern) => matches(pattern))
  if (excluding !== undefined) return `exclude has ${excluding}`
  return include === undefined || include.some((pattern) => matches(pattern))
    ? undefined
    : 'no pattern of include matches'
}

function replicaOf(original: Device, index: number): Replica {
  return { ...original, id: replicaId(original.id, index), physicalId: physicalOf(original), original }
}

/** An id that would be too long is cut, and a hash keeps it unique. */
function replicaId(id: string, index: number): string {
  const suffix = `::${index}`
  if (id.length + suffix.length <= MAX_ID_LENGTH) return `${id}${suffix}`
  const hash = shortHash(id)
  return `${id.slice(0, MAX_ID_LENGTH - suffix.length - hash.length - 1)}-${hash}${suffix}`
}

function originalOf(device: Device): Device {
  return (device as Partial<Replica>).original ?? device
}

/** Each original once, because a container may hold several replicas of a device. */
function originalsOf(
  ids: readonly string[],
  devices: readonly Device[],
): { readonly originals: readonly Device[]; readonly originalIds: readonly string[] } {
  const wanted = new Set(ids)
  const originals = new Map(devices.map((device) => [originalOf(device).id, originalOf(device)]))
  const chosen = devices.filter(({ id }) => wanted.has(id)).map((device) => originalOf(device).id)
  return { originals: [...originals.values()], originalIds: [...new Set(chosen)].toSorted() }
}
