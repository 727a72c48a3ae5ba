/** A device source: lists the devices of a resource and allocates them to containers. Copy it and change both functions. */
import { readFile } from 'node:fs/promises'
import { defineDeviceSource } from '@berth/plugin-api'
import type { Clock, Device, DeviceSourcePlugin } from '@berth/plugin-api'
import { z } from 'zod'

/** Arguments of the source in the configuration. */
export interface SeatFileArgs {
  /** File with one seat per line. Empty lines and lines that start with # are ignored. */
  readonly file: string
  /** Interval between two reads of the file, in seconds. */
  readonly periodSeconds: number
}

const argsSchema = z.strictObject({
  file: z.string().min(1).describe('File with one seat per line.'),
  periodSeconds: z.number().positive().default(10).describe('Interval between two reads of the file, in seconds.'),
})

/** Licence seats from a file that another program maintains. A device does not have to be hardware. */
export const plugin: DeviceSourcePlugin<SeatFileArgs> = defineDeviceSource({
  apiVersion: 'berth.dev/v1',
  name: 'example-seat-file',
  description: 'Licence seats, one per line of a file.',
  argsSchema,
  create: ({ file, periodSeconds }, { clock, log }) => ({
    // Yields the complete inventory at the start and after each change. Every wait ends when the signal aborts.
    async *discover(signal) {
      let last: string | undefined
      while (!signal.aborted) {
        const seats = await readSeats(file, signal).catch((error: unknown) => {
          log.warn({ err: error, file }, 'Could not read the seat file')
          return []
        })
        if (seats.join('\n') !== last) yield seats.map((id): Device => ({ id, health: 'Healthy' }))
        last = seats.join('\n')
        await pause(clock, periodSeconds * 1_000, signal)
      }
    },
    // Depends only on its arguments: the kubelet may call again, and does not report when seats are free again.
    allocate: (ids) => ({ env: { SEATS: ids.toSorted().join(',') } }),
  }),
})

async function readSeats(file: string, signal: AbortSignal): Promise<readonly string[]> {
  const lines = (await readFile(file, { encoding: 'utf8', signal })).split('\n').map((line) => line.trim())
  return [...new Set(lines.filter((line) => line !== '' && !line.startsWith('#')))]
}

async function pause(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => {
    const timer = clock.setTimer(delayMs, resolve)
    signal.addEventListener(
      'abort',
      () => {
        timer.cancel()
        resolve()
      },
      { once: true },
    )
  })
}
