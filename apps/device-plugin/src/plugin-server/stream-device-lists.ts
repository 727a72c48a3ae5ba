import type { ListAndWatchResponse } from '@berth/kubelet-api'
import type { Clock, Device, Timer } from '@berth/types'
import { isDeepStrictEqual } from 'node:util'
import type { DeviceTable } from '../devices/device-table.ts'

/** The part of a gRPC server stream that is used. */
export interface ListStream {
  /** False: the peer reads slowly; `drain` follows. */
  write(message: ListAndWatchResponse): boolean
  end(): void
  once(event: 'drain', listener: () => void): unknown
}

/** Changes within this time make one message. */
const COALESCE_MS = 50

/** The list as the wire carries it. */
export function toResponse(devices: readonly Device[]): ListAndWatchResponse {
  return {
    devices: devices.map(({ id, health, numaNodes = [] }) => ({
      ID: id,
      health,
      topology: numaNodes.length === 0 ? undefined : { nodes: numaNodes.map((node) => ({ ID: node })) },
    })),
  }
}

/**
 * Sends the complete list at once, and again after each change: only the newest one, however slowly the peer reads,
 * and none that says what the last one said.
 *
 * @returns what stops it; the stream stays open
 */
export function sendLists(options: {
  readonly stream: ListStream
  readonly table: DeviceTable
  readonly clock: Clock
  readonly onSent: () => void
}): () => void {
  const { stream, table, clock, onSent } = options
  let last: ListAndWatchResponse | undefined
  let timer: Timer | undefined
  let isBlocked = false
  let isOver = false

  function send(): void {
    timer = undefined
    const list = table.list()
    if (isOver || isBlocked || list === undefined) return
    const message = toResponse(list)
    if (last !== undefined && isDeepStrictEqual(last, message)) return
    last = message
    isBlocked = !stream.write(message)
    onSent()
    if (!isBlocked) return
    stream.once('drain', () => {
      isBlocked = false
      send()
    })
  }
  const unsubscribe = table.subscribe(() => {
    timer ??= clock.setTimer(COALESCE_MS, send)
  })
  send()
  return () => {
    isOver = true
    timer?.cancel()
    unsubscribe()
  }
}
