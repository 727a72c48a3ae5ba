import type { DeviceHealth } from '@berth/types'
import { open } from 'node:fs/promises'

/** Health and, where it is bad, why. */
export interface HealthStatus {
  readonly health: DeviceHealth
  readonly reason?: string
}

const MAX_BYTES = 1024

/**
 * Reads a file whose first line is `Healthy`, or anything else with an optional reason after it ("Unhealthy: too hot").
 * A file that is missing or cannot be read is unhealthy: nobody vouches for the device.
 */
export async function readHealthFile(path: string): Promise<HealthStatus> {
  let text: string
  try {
    await using file = await open(path, 'r')
    const { bytesRead, buffer } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0)
    text = buffer.subarray(0, bytesRead).toString('utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'is missing' : `cannot be read (${code ?? String(error)})`
    return { health: 'Unhealthy', reason: `health file ${path} ${why}` }
  }
  const [line = ''] = text.split('\n')
  if (line.trim() === 'Healthy') return { health: 'Healthy' }
  const reason = line.trim().replace(/^Unhealthy:?\s*/, '')
  return { health: 'Unhealthy', reason: reason === '' ? `health file ${path} says so` : reason }
}
