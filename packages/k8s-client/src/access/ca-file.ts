import { readFile } from 'node:fs/promises'
import type { CredentialSource } from './cluster-access.ts'

/** Age at which the file of a certificate authority is read again; the same as for token files. */
const CA_MAX_AGE_MS = 60_000

/**
 * Adds the certificate authority of a file that may be rotated to the credentials of `source`. A read that fails, or
 * finds the file empty, keeps the previous authority.
 *
 * @param initial - Content of the file at the start, PEM.
 * @param now - Monotonic milliseconds.
 */
export function withCaFile(
  source: CredentialSource,
  file: string,
  initial: string,
  now: () => number,
): CredentialSource {
  let ca = initial
  let readAt = now()

  const reload = async (): Promise<void> => {
    readAt = now()
    const text = await readFile(file, 'utf8').catch(() => '')
    if (text.trim() !== '') ca = text
  }

  return async (options) => {
    const isForced = options?.refresh === true || options?.isConnecting === true
    if (isForced || now() - readAt >= CA_MAX_AGE_MS) await reload()
    return { ...(await source(options)), ca }
  }
}
