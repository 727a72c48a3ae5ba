import type { ListAndWatchResponse } from '@berth/kubelet-api'
import type { Clock, Device, Timer } from '@berth/types'
import { isDeepStrictEqual } from 'node:util'
import type { DeviceTable } from '../devices/device-table.ts'

/** The part of a gRPC server stream that {@link streamDeviceLists} uses. */
export interface DeviceListStream {
  /** Calls `onFlushed` when the message has left the stream's buffer. */
  write(message: ListAndWatchResponse, onFlushed: () => void): unknown
}

/** Changes within this time are sent in one message. */
const DEBOUNCE_MS = 50

/** Converts devices to the protobuf message. */
export function toListAndWatchResponse(devices: readonly Device[]): ListAndWatchResponse {
  return {
    devices: devices.map(({ id, health, numaNodes = [] }) => ({
      ID: id,
      health,
      topology: numaNodes.length === 0 ? undefined : { nodes: numaNodes.map((node) => ({ ID: node })) },
    })),
  }
}

/**
 * Sends the complete list at once and again after each change. A slow reader gets only the newest list, and an unchanged
 * list is not sent again.
 *
 * @returns A function that stops sending. With `flushes`, it first sends a change that is still waiting. The stream stays
 * open.
 */
export function streamDeviceLists(options: {
  readonly stream: DeviceListStream
  readonly table: DeviceTable
  readonly clock: Clock
  readonly onSent: () => void
}): (options: { readonly flushes: boolean }) => void {
  const { stream, table, clock, onSent } = options
  let last: ListAndWatchResponse | undefined
  let timer: Timer | undefined
  let isBlocked = false
  let isStopped = false

  function send(): void {
    timer = undefined
    const list = table.offered()
    if (isStopped || isBlocked || list === undefined) return
    const message = toListAndWatchResponse(list)
    if (last !== undefined && isDeepStrictEqual(last, message)) return
    last = message
    // The stream's buffer has room for several messages, and a list in it cannot be replaced by a newer one.
    isBlocked = true
    stream.write(message, () => {
      isBlocked = false
      if (timer === undefined) send()
    })
    onSent()
  }
  const unsubscribe = table.subscribe(() => {
    timer ??= clock.setTimer(DEBOUNCE_MS, send)
  })
  send()
  return ({ flushes }) => {
    unsubscribe()
    timer?.cancel()
    if (timer !== undefined && flushes) send()
    isStopped = true
  }
}
