import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import type { Credentials, CredentialSource } from './cluster-access.ts'
import { kubeconfigError, oneLineMessage, type KubeconfigPlace } from './kubeconfig-error.ts'

/** Age at which the files are read again; the same as for token files. client-go compares them every five minutes. */
const CERTIFICATE_MAX_AGE_MS = 60_000

/** The files of a kubeconfig user's client certificate. */
export interface ClientCertificateFiles {
  readonly certFile: string
  readonly keyFile: string
}

type CertificatePair = Required<Pick<Credentials, 'cert' | 'key'>>

/**
 * Adds the client certificate of rotated files to the credentials of `source`. A read that fails, or finds a key that does
 * not belong to the certificate, keeps the previous pair, because the two files are not replaced at the same instant.
 *
 * @param place - The user entry that names the files.
 * @param now - Monotonic milliseconds.
 * @throws KubeconfigError BERTH_KUBECONFIG_CREDENTIALS if the files never held a certificate and its key.
 */
export function withClientCertificateFiles(
  source: CredentialSource,
  { certFile, keyFile }: ClientCertificateFiles,
  place: KubeconfigPlace,
  now: () => number,
): CredentialSource {
  let current: { readonly pair: CertificatePair; readonly readAt: number } | undefined
  let reading: Promise<CertificatePair> | undefined

  const read = async (): Promise<CertificatePair> => {
    try {
      current = { pair: await readPair(certFile, keyFile, place), readAt: now() }
    } catch (error) {
      if (current === undefined) throw error
      current = { ...current, readAt: now() }
    }
    return current.pair
  }

  const pair = (isForced: boolean): CertificatePair | Promise<CertificatePair> => {
    if (current !== undefined && !isForced && now() - current.readAt < CERTIFICATE_MAX_AGE_MS) return current.pair
    reading ??= read().finally(() => {
      reading = undefined
    })
    return reading
  }

  return async (options) => {
    const isForced = options?.refresh === true || options?.isConnecting === true
    return { ...(await source(options)), ...(await pair(isForced)) }
  }
}

/** Reads a certificate and its key. */
async function readPair(certFile: string, keyFile: string, place: KubeconfigPlace): Promise<CertificatePair> {
  const fail = (key: string, cause: unknown, hint: string): never => {
    const at = { ...place, key: `${place.key ?? ''}${key}` }
    throw kubeconfigError(at, oneLineMessage(cause), { code: 'BERTH_KUBECONFIG_CREDENTIALS', cause, hint })
  }
  const orFail = (key: string, file: string): Promise<string> =>
    readFile(file, 'utf8').catch((cause: unknown) => fail(key, cause, 'Check that the file exists and may be read.'))
  const cert = await orFail('.client-certificate', certFile)
  const key = await orFail('.client-key', keyFile)
  try {
    // Checked here, because an error at connection time could not name the kubeconfig entry.
    createSecureContext({ cert, key })
  } catch (cause) {
    fail('.client-certificate and client-key', cause, 'Provide a PEM certificate and the PEM key that belongs to it.')
  }
  return { cert, key }
}
