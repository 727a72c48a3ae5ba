import type { DeviceHealth } from '@berth/types'
import { open } from 'node:fs/promises'

/** Health of a device, with a reason when it is unhealthy. */
export interface HealthStatus {
  readonly health: DeviceHealth
  readonly reason?: string
}

const MAX_BYTES = 1024

/**
 * Reads a health file. The first line `Healthy` means healthy. Any other text means unhealthy, with an optional reason
 * ("Unhealthy: too hot"). A missing or unreadable file also means unhealthy, because the health is unknown.
 */
export async function readHealthFile(path: string): Promise<HealthStatus> {
  let text: string
  try {
    await using file = await open(path, 'r')
    const { bytesRead, buffer } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0)
    text = buffer.subarray(0, bytesRead).toString('utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const problem = code === 'ENOENT' ? 'is missing' : `cannot be read (${code ?? String(error)})`
    return { health: 'Unhealthy', reason: `health file ${path} ${problem}` }
  }
  const [line = ''] = text.split('\n')
  if (line.trim() === 'Healthy') return { health: 'Healthy' }
  const reason = line.trim().replace(/^Unhealthy:?\s*/, '')
  return { health: 'Unhealthy', reason: reason === '' ? `health file ${path} reports it as unhealthy` : reason }
}
