import type { DeviceHealth } from '@berth/types'
import { constants, open, stat } from 'node:fs/promises'

/** Health of a device, with a reason when it is unhealthy. */
export interface HealthStatus {
  readonly health: DeviceHealth
  readonly reason?: string
}

/** The content of a health file. */
export interface HealthReading {
  readonly status: HealthStatus
  /** Equal for a file that has not changed; undefined if that cannot be determined. */
  readonly identity?: string
}

/** A pipe without a writer would otherwise block one of the few threads that serve all files. */
export const READ_WITHOUT_WAITING: number = constants.O_RDONLY | constants.O_NONBLOCK

const MAX_BYTES = 1024
/** A file that was written later than this ago may be written again without a new time stamp. */
const SETTLED_MS = 1_000

/**
 * Reads a health file. The first line `Healthy` means healthy. Any other text means unhealthy, with an optional reason
 * ("Unhealthy: too hot"). A missing or unreadable file also means unhealthy, because the health is unknown.
 *
 * @param options.last - The last reading. It is returned without a read if the file has not changed.
 * @param options.nowMs - Wall-clock time, to compare with time stamps of files.
 */
export async function readHealthFile(
  path: string,
  { last, nowMs }: { readonly last?: HealthReading | undefined; readonly nowMs: number },
): Promise<HealthReading> {
  let text: string
  let identity: string | undefined
  try {
    const { dev, ino, size, mtimeNs, ctimeNs, mtimeMs } = await stat(path, { bigint: true })
    identity = `${dev}/${ino}/${size}/${mtimeNs}/${ctimeNs}`
    if (last?.identity === identity) return last
    await using file = await open(path, READ_WITHOUT_WAITING)
    const { bytesRead, buffer } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0)
    text = buffer.subarray(0, bytesRead).toString('utf8')
    // The kernel's own files (sysfs, procfs) change without a new time stamp. Their size is not that of their content.
    const isOrdinary = BigInt(bytesRead) === size
    if (!isOrdinary || nowMs - Number(mtimeMs) < SETTLED_MS) identity = undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const problem = code === 'ENOENT' ? 'is missing' : `cannot be read (${code ?? String(error)})`
    return { status: { health: 'Unhealthy', reason: `health file ${path} ${problem}` } }
  }
  return { status: parseHealth(text, `health file ${path}`), ...(identity !== undefined && { identity }) }
}

/** Reads the health from the first line of a text. */
export function parseHealth(text: string, origin: string): HealthStatus {
  const [line = ''] = text.split('\n')
  if (line.trim() === 'Healthy') return { health: 'Healthy' }
  const reason = line.trim().replace(/^Unhealthy:?\s*/, '')
  return { health: 'Unhealthy', reason: reason === '' ? `${origin} reports it as unhealthy` : reason }
}
