/** A device source: what the devices of a resource are, and what a container gets with them. Copy it and change both. */
import { readFile } from 'node:fs/promises'
import { defineDeviceSource } from '@berth/plugin-api'
import type { Clock, Device, DeviceSourcePlugin } from '@berth/plugin-api'
import { z } from 'zod'

/** What the configuration may say about the source. */
export interface SeatFileArgs {
  /** A file with one seat per line; empty lines and lines that begin with # are passed over. */
  readonly file: string
  /** Seconds between two looks at the file. */
  readonly periodSeconds: number
}

const argsSchema = z.strictObject({
  file: z.string().min(1).describe('A file with one seat per line.'),
  periodSeconds: z.number().positive().default(10).describe('Seconds between two looks at the file.'),
})

/** Licence seats, listed in a file that somebody else keeps: a device need not be hardware. */
export const plugin: DeviceSourcePlugin<SeatFileArgs> = defineDeviceSource({
  name: 'example-seat-file',
  description: 'Licence seats, one per line of a file.',
  argsSchema,
  create: ({ file, periodSeconds }, { clock, log }) => ({
    // Yields the whole inventory first, and again when it changed. Every wait ends when the signal is aborted.
    async *discover(signal) {
      let last: string | undefined
      while (!signal.aborted) {
        const seats = await readSeats(file, signal).catch((error: unknown) => {
          log.warn({ err: error, file }, 'Seat file cannot be read')
          return []
        })
        if (seats.join('\n') !== last) yield seats.map((id): Device => ({ id, health: 'Healthy' }))
        last = seats.join('\n')
        await pause(clock, periodSeconds * 1_000, signal)
      }
    },
    // Depends on its arguments alone: the kubelet may ask again, and never says when seats come back.
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
