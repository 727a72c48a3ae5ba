import { BerthError } from '@berth/types'

/** A resource that a node offers, or would offer, as a counted extended resource. */
export interface OfferedResource {
  readonly nodeName: string
  readonly resourceName: string
  readonly units: bigint
}

/** An object of resource.k8s.io/v1. */
export interface DraObject {
  readonly apiVersion: 'resource.k8s.io/v1'
  readonly kind: 'DeviceClass' | 'ResourceSlice'
  readonly metadata: { readonly name: string }
  readonly spec: Readonly<Record<string, unknown>>
}

/** A resource cannot be expressed as devices. */
export class MigrateError extends BerthError {}

const API_VERSION = 'resource.k8s.io/v1'
/** ResourceSliceMaxDevices of k8s.io/api/resource/v1 (v1.36). */
const MAX_DEVICES_PER_SLICE = 128
/** More units are an amount, such as bytes, and not devices. */
const MAX_DEVICES_PER_NODE = 1_024n
/** DriverNameMaxLength of k8s.io/api/resource/v1 (v1.36). */
const MAX_DRIVER_LENGTH = 63
/** Attribute of a device that says which resource it belongs to. */
const ATTRIBUTE = 'resource'

/**
 * Returns the objects with which kube-scheduler allocates the same units as devices: a DeviceClass for each resource, with
 * its name as `extendedResourceName`, and for each node the ResourceSlices with one device for each unit. The driver is
 * the domain of the resource name.
 *
 * @returns Empty when nothing is offered.
 * @throws MigrateError BERTH_ADVERTISER_MIGRATE when the units of a node are not devices, or a name is too long.
 */
export function draObjects(offered: readonly OfferedResource[]): readonly DraObject[] {
  const resourceNames = [...new Set(offered.map(({ resourceName }) => resourceName))].toSorted()
  for (const [className, [first = '', second]] of Map.groupBy(resourceNames, classNameOf)) {
    if (second !== undefined) throw refusal(`${first} and ${second} would have the same DeviceClass ${className}`)
  }
  const pools = offered.filter(({ units }) => units > 0n)
  for (const [sliceName, [first, second]] of Map.groupBy(pools, sliceNameOf)) {
    if (first === undefined || second === undefined) continue
    throw refusal(`${describe(first)} and ${describe(second)} would have the same ResourceSlice ${sliceName}-0`)
  }
  return [
    ...resourceNames.map((resourceName) => deviceClass(resourceName)),
    ...pools.flatMap((pool) => resourceSlices(pool)),
  ]
}

function deviceClass(resourceName: string): DraObject {
  const { driver, resource } = namesOf(resourceName)
  const expression = `device.driver == "${driver}" && device.attributes["${driver}"].${ATTRIBUTE} == "${resource}"`
  return {
    apiVersion: API_VERSION,
    kind: 'DeviceClass',
    metadata: { name: classNameOf(resourceName) },
    spec: { extendedResourceName: resourceName, selectors: [{ cel: { expression } }] },
  }
}

function resourceSlices(pool: OfferedResource): readonly DraObject[] {
  const { nodeName, resourceName, units } = pool
  if (units > MAX_DEVICES_PER_NODE) {
    throw refusal(`${describe(pool)}: ${units} units are more than ${MAX_DEVICES_PER_NODE} devices`)
  }
  const { driver, resource } = namesOf(resourceName)
  const className = classNameOf(resourceName)
  const devices = Array.from({ length: Number(units) }, (_, index) => ({
    name: `unit-${index}`,
    attributes: { [ATTRIBUTE]: { string: resource } },
  }))
  const sliceCount = Math.ceil(devices.length / MAX_DEVICES_PER_SLICE)
  return Array.from({ length: sliceCount }, (_, index) => {
    const name = `${sliceNameOf(pool)}-${index}`
    if (name.length > 253) throw refusal(`${describe(pool)}: the name of its ResourceSlice is too long`)
    return {
      apiVersion: API_VERSION,
      kind: 'ResourceSlice',
      metadata: { name },
      spec: {
        driver,
        nodeName,
        pool: { name: `${nodeName}/${className}`, generation: 1, resourceSliceCount: sliceCount },
        devices: devices.slice(index * MAX_DEVICES_PER_SLICE, (index + 1) * MAX_DEVICES_PER_SLICE),
      },
    }
  })
}

function namesOf(resourceName: string): { readonly driver: string; readonly resource: string } {
  const slash = resourceName.indexOf('/')
  const driver = resourceName.slice(0, slash)
  if (driver.length > MAX_DRIVER_LENGTH) {
    throw refusal(`${resourceName}: the name of a DRA driver has at most ${MAX_DRIVER_LENGTH} characters`)
  }
  return { driver, resource: resourceName.slice(slash + 1) }
}

/** Returns a name of a DeviceClass, which is a DNS name: `example.com/Big_Dongle` becomes `big-dongle.example.com`. */
function classNameOf(resourceName: string): string {
  const { driver, resource } = namesOf(resourceName)
  return `${resource.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.${driver}`
}

/** Returns the names of the ResourceSlices of a pool without their index. */
function sliceNameOf({ nodeName, resourceName }: OfferedResource): string {
  return `${nodeName}-${classNameOf(resourceName)}`
}

function describe({ nodeName, resourceName }: OfferedResource): string {
  return `${resourceName} on node ${nodeName}`
}

function refusal(reason: string): MigrateError {
  return new MigrateError(`migrate: ${reason}`, {
    code: 'BERTH_ADVERTISER_MIGRATE',
    hint: 'Keep this resource as an extended resource, or write its ResourceSlices in your DRA driver.',
  })
}
