import assert from 'node:assert/strict'
import { createTestClock } from '@berth/clock/testing'
import {
  AllocateRequest,
  PreferredAllocationRequest,
  PreStartContainerRequest,
  RegistrationStatus,
} from '@berth/kubelet-api'
import { silentLogger } from '@berth/types'
import { createDeviceTable } from '../../src/devices/device-table.ts'
import { createPluginHandlers } from '../../src/plugin-server/plugin-handlers.ts'

const IDS = ['a', 'b', 'c', '__proto__']
const resourceName = 'example.com/dongle'

/** A message that is not valid, which gRPC refuses, or a status other than INTERNAL. */
class CallRefusal extends Error {
  readonly code = 'BERTH_FUZZ_CALL'
}

const clock = createTestClock()
const table = createDeviceTable({ resourceName, keepMissingMs: 0, clock, log: silentLogger })
table.update(IDS.map((id) => ({ id, health: id === 'c' ? 'Unhealthy' : 'Healthy' })))
const nothing = (): void => undefined
const { devicePlugin, registration } = createPluginHandlers({
  resourceName,
  table,
  source: { allocate: (ids) => ({ env: { IDS: ids.join(' ') } }) },
  allocationPolicy: () => 'pack',
  clock,
  log: silentLogger,
  events: { onStreamsChanged: nothing, onRegistrationStatus: nothing, onAllocated: nothing, onListSent: nothing },
})

type Callback = (error: { readonly code?: number; readonly details?: string } | null, response?: unknown) => void

/** A call with a message. */
interface Call {
  readonly decode: (bytes: Uint8Array) => unknown
  readonly call: (call: { readonly request: unknown }, callback: Callback) => void
  readonly check: (request: never, response: never) => void
}

/** The calls with a message, each with its decoder and what a valid response has. */
const calls: readonly Call[] = [
  {
    decode: (bytes) => AllocateRequest.decode(bytes),
    call: (call, callback) => devicePlugin.allocate(call as never, callback),
    check: checkAllocation,
  },
  {
    decode: (bytes) => PreferredAllocationRequest.decode(bytes),
    call: (call, callback) => devicePlugin.getPreferredAllocation(call as never, callback),
    check: checkPreference,
  },
  {
    decode: (bytes) => PreStartContainerRequest.decode(bytes),
    call: (call, callback) => devicePlugin.preStartContainer(call as never, callback),
    check: nothing,
  },
  {
    decode: (bytes) => RegistrationStatus.decode(bytes),
    call: (call, callback) => registration.notifyRegistrationStatus(call as never, callback),
    check: nothing,
  },
]

export const contract: string =
  'Only known, healthy devices are granted, each id once; preferred devices are available ones, in the requested number.'
export const refusals: readonly unknown[] = [CallRefusal]
export const dictionary: readonly string[] = [
  'a',
  'b',
  'c',
  '__proto__',
  '\n\x03\n\x01a',
  '\n\x06\n\x01a\n\x01b',
  '\n\x08\n\x01a\n\x01b\x18\x01',
  '\x12\x01a',
  '\x18\x02',
  '\x08\x01',
]

interface Called extends Pick<Call, 'check'> {
  readonly request: unknown
  readonly response: unknown
}

/** The first byte chooses the call, the rest is its message. */
export async function parse(input: Uint8Array): Promise<Called> {
  const chosen = calls[(input[0] ?? 0) % calls.length]
  assert.ok(chosen)
  const { decode, call, check } = chosen
  let request: unknown
  try {
    request = decode(input.subarray(1))
  } catch (error) {
    // The decoder throws errors of its library, which gRPC turns into a status.
    throw new CallRefusal(String(error))
  }
  const response = await new Promise((resolve, reject) => {
    const answer: Callback = (error, value) => {
      if (error === null) resolve(value)
      else reject(error.code === 13 ? new Error(error.details) : new CallRefusal(error.details))
    }
    call({ request }, answer)
  })
  return { request, response, check }
}

export function verify({ request, response, check }: Called): void {
  check(request as never, response as never)
}

function checkAllocation(
  { containerRequests }: AllocateRequest,
  {
    containerResponses,
  }: { readonly containerResponses: readonly { readonly envs: Readonly<Record<string, string>> }[] },
): void {
  assert.equal(containerResponses.length, containerRequests.length)
  for (const [i, { devicesIds }] of containerRequests.entries()) {
    const granted = containerResponses[i]?.envs['BERTH_DEVICES_EXAMPLE_COM_DONGLE'] ?? ''
    assert.deepEqual(granted === '' ? [] : granted.split(','), [...new Set(devicesIds)].toSorted())
    assert.ok(devicesIds.every((id) => id !== 'c' && IDS.includes(id)))
  }
}

function checkPreference(
  { containerRequests }: PreferredAllocationRequest,
  { containerResponses }: { readonly containerResponses: readonly { readonly deviceIDs: readonly string[] }[] },
): void {
  assert.equal(containerResponses.length, containerRequests.length)
  for (const [i, { availableDeviceIDs, mustIncludeDeviceIDs, allocationSize }] of containerRequests.entries()) {
    const preferred = containerResponses[i]?.deviceIDs ?? []
    assert.equal(new Set(preferred).size, preferred.length)
    assert.ok(preferred.length <= Math.max(0, allocationSize))
    assert.ok(preferred.every((id) => availableDeviceIDs.includes(id) || mustIncludeDeviceIDs.includes(id)))
  }
}
