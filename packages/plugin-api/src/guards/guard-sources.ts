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
        const expected = 'a whole number, zero or more'
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
        if (isObject(result) && typeof result['health'] === 'string') return result as never
        const where = ` for device ${device.id}`
        throw invalidResult({ what: `${of('probe')} returned`, value: result, where, expected: '{ health, reason? }' })
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
    const expected = '{ id, health, paths?, numaNodes? } with texts and arrays'
    const isDevice =
      isObject(device) &&
      typeof device['id'] === 'string' &&
      typeof device['health'] === 'string' &&
      isOptionalArray(device['paths']) &&
      isOptionalArray(device['numaNodes'])
    if (!isDevice) throw invalidResult({ what: `${what} yielded`, value: device, where: ` as device ${i}`, expected })
  }
}

interface AllocationFault {
  readonly value: unknown
  readonly where: string
  readonly expected: string
}

function allocationFault(allocation: unknown): AllocationFault | undefined {
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
  for (const key of ['mounts', 'deviceNodes']) {
    const places = allocation[key]
    if (!isOptionalArray(places)) return { value: places, where: ` as ${key}`, expected: 'an array' }
    const place = (places ?? []).find((entry) => !isPlace(entry))
    if (place !== undefined) return { value: place, where: ` in ${key}`, expected: '{ hostPath, containerPath, … }' }
  }
  const { cdiDevices } = allocation
  const isTexts = isOptionalArray(cdiDevices) && (cdiDevices ?? []).every((name) => typeof name === 'string')
  return isTexts ? undefined : { value: cdiDevices, where: ' as cdiDevices', expected: 'an array of CDI names' }
}

function isPlace(value: unknown): boolean {
  return isObject(value) && typeof value['hostPath'] === 'string' && typeof value['containerPath'] === 'string'
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
