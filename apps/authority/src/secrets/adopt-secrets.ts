import type { Logger } from '@berth/types'
import { isConflict, type SecretStore } from './secret-store.ts'

/** A Secret with certificates, and the Secret of the authority into which they are copied. */
export interface AdoptedSecret {
  readonly from: string
  readonly to: string
}

const KEYS = ['ca.crt', 'tls.crt', 'tls.key'] as const

/**
 * Copies certificates of another source into the Secrets of the authority, which keeps them in use until both sides trust its own. A
 * Secret that exists stays as it is, so that a copy can be repeated.
 *
 * @returns The names of the Secrets that were created. Empty if one of the sources has no certificate: the two belong together.
 */
export async function adoptSecrets(
  secrets: readonly AdoptedSecret[],
  { store, log }: { readonly store: SecretStore; readonly log: Logger },
): Promise<readonly string[]> {
  const copies: { readonly to: string; readonly data: Readonly<Record<string, string>> }[] = []
  for (const { from, to } of secrets) {
    const { data = {} } = await store.read(from)
    const missing = KEYS.filter((key) => (data[key] ?? '') === '')
    if (missing.length > 0) {
      log.info({ secret: from, missing }, 'No certificates to adopt')
      return []
    }
    copies.push({ to, data: Object.fromEntries(KEYS.map((key) => [key, data[key] ?? ''])) })
  }
  const created: string[] = []
  for (const { to, data } of copies) {
    try {
      await store.write(to, data, 'kubernetes.io/tls')
      created.push(to)
    } catch (error) {
      if (!isConflict(error)) throw error
      log.info({ secret: to }, 'The Secret exists and stays as it is')
    }
  }
  log.info({ secrets: created }, 'Adopted certificates')
  return created
}
