import type { User } from '@kubernetes/client-node'
import { withClientCertificateFiles, type ClientCertificateFiles } from './client-certificate-files.ts'
import type { CredentialSource } from './cluster-access.ts'
import type { KubeconfigPlace } from './kubeconfig-error.ts'
import { kubeconfigUserSource } from './kubeconfig-user.ts'
import { tokenFileSource } from './token-file.ts'

/** A user entry of a kubeconfig. */
export interface UserEntry {
  readonly entry: User
  /** File with a bearer token; client-node does not know this key. */
  readonly tokenFile: string | undefined
  /** The file and the context of the entry. */
  readonly place: KubeconfigPlace
  /** Monotonic milliseconds. */
  readonly now: () => number
}

/**
 * Creates a source for the credentials of a kubeconfig user. The files that the entry names are read again while the process
 * runs; data inside the kubeconfig is read once, as by client-go. The token file wins over a token of the entry, which
 * is used while the file cannot be read.
 */
export function userCredentials({ entry, tokenFile, place, now }: UserEntry): CredentialSource {
  const files = certificateFilesOf(entry)
  const at = (key: string): KubeconfigPlace => ({ ...place, key: `users[${entry.name}].user${key}` })
  const { certFile: _cert, keyFile: _key, ...withoutFiles } = entry
  const user = kubeconfigUserSource(files === undefined ? entry : withoutFiles, place)
  const authenticated =
    tokenFile === undefined
      ? user
      : withTokenFile(user, tokenFileSource(tokenFile, at('.tokenFile'), now), Boolean(entry.token))
  return files === undefined ? authenticated : withClientCertificateFiles(authenticated, files, at(''), now)
}

/** Returns the files of the client certificate; undefined unless both its parts come from files. */
function certificateFilesOf({ certFile, certData, keyFile, keyData }: User): ClientCertificateFiles | undefined {
  const isInline = Boolean(certData) || Boolean(keyData)
  return isInline || !certFile || !keyFile ? undefined : { certFile, keyFile }
}

/** Adds the token of a file to the credentials of `source`. `isOptional`: an unreadable file changes nothing. */
function withTokenFile(source: CredentialSource, file: CredentialSource, isOptional: boolean): CredentialSource {
  return async (options) => {
    const credentials = await source(options)
    try {
      const { headers } = await file(options)
      return { ...credentials, headers: { ...credentials.headers, ...headers } }
    } catch (error) {
      if (isOptional) return credentials
      throw error
    }
  }
}
