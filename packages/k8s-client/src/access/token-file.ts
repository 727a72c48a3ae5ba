import { readFile } from 'node:fs/promises'
import type { Credentials, CredentialSource } from './cluster-access.ts'
import { KubeconfigError, type KubeconfigPlace } from './kubeconfig-error.ts'
import { kubeconfigError, oneLineMessage } from './kubeconfig-error.ts'

/** Age at which a token file is read again; client-go's value. */
const TOKEN_MAX_AGE_MS = 60_000

/**
 * Creates a source that reads a bearer token from a rotated file. A read that fails keeps the previous token, because a
 * projected volume is briefly empty while it is swapped.
 *
 * @param now - Monotonic milliseconds.
 * @throws KubeconfigError BERTH_KUBECONFIG_CREDENTIALS if the file was never readable.
 */
export function tokenFileSource(file: string, place: KubeconfigPlace, now: () => number): CredentialSource {
  let current: { readonly credentials: Credentials; readonly readAt: number } | undefined
  let reading: Promise<Credentials> | undefined

  const read = async (): Promise<Credentials> => {
    try {
      const token = (await readFile(file, 'utf8')).trim()
      if (token === '') throw new Error('the file is empty')
      current = { credentials: { headers: { authorization: `Bearer ${token}` } }, readAt: now() }
    } catch (cause) {
      if (current === undefined) throw unreadable(file, place, cause)
      current = { ...current, readAt: now() }
    }
    return current.credentials
  }

  return (options) => {
    const isFresh = current !== undefined && now() - current.readAt < TOKEN_MAX_AGE_MS
    if (current !== undefined && isFresh && options?.refresh !== true) return Promise.resolve(current.credentials)
    reading ??= read().finally(() => {
      reading = undefined
    })
    return reading
  }
}

function unreadable(file: string, place: KubeconfigPlace, cause: unknown): KubeconfigError {
  const options = {
    code: 'BERTH_KUBECONFIG_CREDENTIALS',
    cause,
    hint: 'Check that the token file exists and may be read by this user.',
  }
  const reason = `read token file ${file}: ${oneLineMessage(cause)}`
  // The token file of a service account is not named by a kubeconfig key.
  return place.key === undefined ? new KubeconfigError(reason, place, options) : kubeconfigError(place, reason, options)
}
