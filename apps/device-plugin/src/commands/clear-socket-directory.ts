import { sleep } from '@berth/clock'
import type { Clock } from '@berth/types'
import { readdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { connectionError, isSocketName } from '../registration/socket-directory.ts'

const POLL_INTERVAL_MS = 500

/** The result of {@link clearSocketDirectory}. */
export interface ClearedDirectory {
  /** Paths of deleted sockets. */
  readonly deleted: readonly string[]
  /** One sentence per entry that is still there. Empty means that the directory is empty or does not exist. */
  readonly remaining: readonly string[]
}

/**
 * Empties the socket directory after an uninstall, as the user of the device plugin. Waits until the plugin has ended,
 * and deletes the sockets that a killed plugin left, which the kubelet would otherwise keep calling. Other files are
 * never deleted.
 */
export async function clearSocketDirectory(
  directory: string,
  { timeoutMs, clock }: { readonly timeoutMs: number; readonly clock: Clock },
): Promise<ClearedDirectory> {
  const deadlineMs = clock.monotonic() + timeoutMs
  const deleted: string[] = []
  for (;;) {
    const remaining = await clearOnce(directory, deleted)
    if (remaining.length === 0 || clock.monotonic() >= deadlineMs) return { deleted, remaining }
    await sleep(clock, POLL_INTERVAL_MS)
  }
}

async function clearOnce(directory: string, deleted: string[]): Promise<readonly string[]> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    return error
  })
  if (names instanceof Error) return [names.message]
  const reasons = await Promise.all(names.map((name) => clearEntry(directory, name, deleted)))
  return reasons.filter((reason) => reason !== undefined)
}

/** Returns why the entry is still there, or undefined when it is gone. */
async function clearEntry(directory: string, name: string, deleted: string[]): Promise<string | undefined> {
  const path = join(directory, name)
  return isSocketName(name) ? await clearSocket(path, deleted) : `${path} does not belong to Berth`
}

async function clearSocket(path: string, deleted: string[]): Promise<string | undefined> {
  const error = await connectionError(path)
  if (error === undefined) return `${path} still accepts connections`
  if (error.code === 'ENOENT') return undefined
  if (error.code !== 'ECONNREFUSED') return error.message
  try {
    await unlink(path)
    deleted.push(path)
  } catch (failure) {
    const { code, message } = failure as NodeJS.ErrnoException
    if (code !== 'ENOENT') return message
  }
  return undefined
}
