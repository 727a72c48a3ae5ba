import { readFile } from 'node:fs/promises'
import type { CredentialSource } from './token-file.ts'

/** How long a certificate authority is used before its file is looked at again; as for tokens. */
const CA_MAX_AGE_MS = 60_000

/**
 * Adds to credentials the certificate authority of a file that is rotated under us. A read that fails, or finds the
 * file empty, keeps the authority of before.
 *
 * @param initial - What the file held at the start, PEM.
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

  const look = async (): Promise<void> => {
    readAt = now()
    const text = await readFile(file, 'utf8').catch(() => '')
    if (text.trim() !== '') ca = text
  }

  return async (options) => {
    if (options?.refresh === true || now() - readAt >= CA_MAX_AGE_MS) await look()
    return { ...(await source(options)), ca }
  }
}
