import type { Device } from '@berth/types'
import type { DeviceSource } from '../contract/device-source.ts'
import type { ResourceReading, ResourceSource } from '../contract/resource-source.ts'
import { invalidResult } from '../checks/invalid-result.ts'

/** Returns the source with checks of its readings. Errors name the node; the host adds the name of the plugin. */
export function guardResourceSource(source: ResourceSource): ResourceSource {
  return {
    async compute(node, signal) {
      const reading: unknown = await source.compute(node, signal)
      const where = ` for node ${node.metadata.name ?? ''}`
      if (!isObject(reading)) {
        throw invalidResult({ what: 'compute returned', value: reading, where, expected: '{ units, observedAtMs }' })
      }
      const { units, observedAtMs } = reading as Partial<Record<keyof ResourceReading, unknown>>
      if (typeof units !== 'number' && typeof units !== 'bigint') {
        const expected = 'a number, zero or more'
        throw invalidResult({ what: 'compute returned', value: units, where: ` as units${where}`, expected })
      }
      if (typeof observedAtMs !== 'number' || !Number.isFinite(observedAtMs)) {
        throw invalidResult({
          what: 'compute returned',
          value: observedAtMs,
          where: ` as the time of observation (observedAtMs)${where}`,
          expected: 'milliseconds since the epoch, such as Date.now()',
        })
      }
      return reading as unknown as ResourceReading
    },
  }
}

/** Returns the source with checks of its results. Errors name the plugin, because hosts call these hooks directly. */
export function guardDeviceSource(plugin: string, source: DeviceSource): DeviceSource {
  const of = (hook: string): string => `run ${hook} of plugin ${plugin}: ${hook}`
  const probe = source.probe?.bind(source)
  const preStart = source.preStart?.bind(source)
  return {
    discover(signal) {
      const inventories: unknown = source.discover(signal)
      if (isAsyncIterable(inventories)) return checkedInventories(of('discover'), inventories)
      const expected = 'an async iterable of inventories: write it as async *discover(signal)'
      throw invalidResult({ what: `${of('discover')} returned`, value: inventories, expected })
    },
    ...(probe !== undefined && {
      async probe(device, signal) {
        const result: unknown = await probe(device, signal)
        const what = `${of('probe')} returned`
        const where = ` for device ${device.id}`
        if (!isObject(result)) throw invalidResult({ what, value: result, where, expected: '{ health, reason? }' })
        const { health } = result
        if (isHealth(health)) return result as never
        throw invalidResult({ what, value: health, where: ` as health${where}`, expected: healthExpected })
      },
    }),
    ...(preStart !== undefined && {
      async preStart(ids, devices, signal) {
        await preStart(ids, devices, signal)
      },
    }),
    async allocate(ids, devices) {
      const allocation: unknown = await source.allocate(ids, devices)
      const fault = allocationFault(allocation)
      if (fault === undefined) return allocation as never
      const { value, where, expected } = fault
      throw invalidResult({
        what: `${of('allocate')} returned`,
        value,
        where: `${where} for ${ids.join(', ')}`,
        expected,
      })
    },
  }
}

/** Wraps each step of the iterator, so that `return` and `throw` reach the source at once. */
function checkedInventories(
  what: string,
  inventories: AsyncIterable<readonly Device[]>,
): AsyncIterable<readonly Device[]> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = inventories[Symbol.asyncIterator]()
      const end = iterator.return?.bind(iterator)
      const fail = iterator.throw?.bind(iterator)
      return {
        async next() {
          const step = await iterator.next()
          if (step.done !== true) checkInventory(what, step.value)
          return step
        },
        ...(end !== undefined && { return: (value: unknown) => end(value) }),
        ...(fail !== undefined && { throw: (error: unknown) => fail(error) }),
      }
    },
  }
}

function checkInventory(what: string, devices: unknown): void {
  if (!Array.isArray(devices))
    throw invalidResult({ what: `${what} yielded`, value: devices, expected: 'an array of devices' })
  for (const [i, device] of (devices as readonly unknown[]).entries()) {
    const fault = deviceFault(device, i)
    if (fault !== undefined) throw invalidResult({ what: `${what} yielded`, ...fault })
  }
}

// The device plugin ignores only the devices whose ids the kubelet would not accept, so ids are not checked here.
function deviceFault(device: unknown, i: number): SourceFault | undefined {
  const isDevice =
    isObject(device) &&
    typeof device['id'] === 'string' &&
    isOptionalArray(device['paths']) &&
    isOptionalArray(device['numaNodes']) &&
    (device['physicalId'] === undefined || typeof device['physicalId'] === 'string')
  if (!isDevice) {
    const expected = '{ id, health, paths?, numaNodes?, physicalId? } with texts and arrays'
    return { value: device, where: ` as device ${i}`, expected }
  }
  const { id, health, paths = [], numaNodes = [] } = device as unknown as Device
  if (!isHealth(health)) return { value: health, where: ` as the health of device ${id}`, expected: healthExpected }
  const path = paths.findIndex((value) => !isAbsolutePath(value))
  if (path >= 0) return { value: paths[path], where: ` as a path of device ${id}`, expected: absolutePathExpected }
  const node = numaNodes.findIndex((value) => !Number.isInteger(value) || value < 0)
  if (node < 0) return undefined
  return { value: numaNodes[node], where: ` as a NUMA node of device ${id}`, expected: 'a whole number, zero or more' }
}

interface SourceFault {
  readonly value: unknown
  readonly where: string
  readonly expected: string
}

function allocationFault(allocation: unknown): SourceFault | undefined {
  if (!isObject(allocation)) {
    return { value: allocation, where: '', expected: '{ env?, mounts?, deviceNodes?, annotations?, cdiDevices? }' }
  }
  for (const key of ['env', 'annotations']) {
    const texts = allocation[key]
    if (texts === undefined) continue
    if (!isObject(texts) || Array.isArray(texts))
      return { value: texts, where: ` as ${key}`, expected: 'an object of texts' }
    const entry = Object.entries(texts).find(([, value]) => typeof value !== 'string')
    if (entry !== undefined) return { value: entry[1], where: ` as ${key}.${entry[0]}`, expected: 'a text' }
  }
  const variable = Object.keys(allocation['env'] ?? {}).find((name) => !/^[A-Za-z_]\w*$/.test(name))
  if (variable !== undefined)
    return { value: variable, where: ' as the name of a variable', expected: 'letters, digits and underscores' }
  for (const key of ['mounts', 'deviceNodes']) {
    const places = allocation[key]
    if (!isOptionalArray(places)) return { value: places, where: ` as ${key}`, expected: 'an array' }
    for (const place of places ?? []) {
      const fault = placeFault(key, place)
      if (fault !== undefined) return fault
    }
  }
  const { cdiDevices = [] } = allocation
  if (!Array.isArray(cdiDevices))
    return { value: cdiDevices, where: ' as cdiDevices', expected: 'an array of CDI names' }
  const cdi = cdiDevices.findIndex((name) => typeof name !== 'string' || !/^[^\s/=]+\/[^\s/=]+=[^\s=]+$/.test(name))
  if (cdi < 0) return undefined
  return { value: cdiDevices[cdi], where: ' in cdiDevices', expected: 'a CDI name (vendor.com/class=device)' }
}

function placeFault(key: string, place: unknown): SourceFault | undefined {
  if (!isObject(place)) return { value: place, where: ` in ${key}`, expected: '{ hostPath, containerPath, … }' }
  const { hostPath, containerPath, permissions } = place
  for (const path of [hostPath, containerPath]) {
    if (!isAbsolutePath(path)) return { value: path, where: ` as a path in ${key}`, expected: absolutePathExpected }
  }
  if (key === 'mounts' || (typeof permissions === 'string' && /^(?!.*(.).*\1)[rwm]{1,3}$/.test(permissions)))
    return undefined
  const where = ` as the permissions of ${String(hostPath)}`
  return { value: permissions, where, expected: 'a combination of r, w and m' }
}

const healthExpected = '"Healthy" or "Unhealthy"'

function isHealth(value: unknown): boolean {
  return value === 'Healthy' || value === 'Unhealthy'
}

const absolutePathExpected = 'an absolute path'

function isAbsolutePath(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('/')
}

function isOptionalArray(value: unknown): value is readonly unknown[] | undefined {
  return value === undefined || Array.isArray(value)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function isAsyncIterable(value: unknown): value is AsyncIterable<readonly Device[]> {
  return isObject(value) && typeof (value as Partial<AsyncIterable<unknown>>)[Symbol.asyncIterator] === 'function'
}
