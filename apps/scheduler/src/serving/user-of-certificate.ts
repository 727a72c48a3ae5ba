import { X509Certificate } from 'node:crypto'
import { pemBlocks } from '@berth/process/certificates'
import type { AccessRequest, ClientCertificate } from '@berth/process/health'
import type { ClientAuthorities, RequestHeaderAuthority } from './client-authorities.ts'

/** The authenticated user, as upstream's `user.Info`. */
export interface User {
  readonly username?: string
  readonly uid?: string
  readonly groups?: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

const AUTHENTICATED = 'system:authenticated'

/**
 * Returns the user that the client certificate of a request authenticates: the one that a front proxy names in headers,
 * or the subject of the certificate. Undefined when the request has no certificate, or neither authority signed it.
 *
 * @see k8s.io/apiserver pkg/authentication/request/headerrequest and pkg/authentication/request/x509 (v0.36)
 */
export function userOfCertificate(
  { clientCertificate, headers }: Pick<AccessRequest, 'clientCertificate' | 'headers'>,
  { clientCa, requestHeader }: ClientAuthorities,
): User | undefined {
  if (clientCertificate === undefined) return undefined
  if (requestHeader !== undefined && isProxy(clientCertificate, requestHeader)) {
    const user = userInHeaders(headers, requestHeader)
    if (user !== undefined) return user
  }
  if (clientCa === undefined || !isSignedBy(clientCertificate, clientCa)) return undefined
  const { commonName, organizations, fingerprint256 } = clientCertificate
  if (commonName === '') return undefined
  return {
    username: commonName,
    groups: [...organizations, AUTHENTICATED],
    extra: {
      'authentication.kubernetes.io/credential-id': [`X509SHA256=${fingerprint256.replaceAll(':', '').toLowerCase()}`],
    },
  }
}

function isProxy(certificate: ClientCertificate, { ca, allowedNames }: RequestHeaderAuthority): boolean {
  return isSignedBy(certificate, ca) && (allowedNames.length === 0 || allowedNames.includes(certificate.commonName))
}

/** Returns whether the root of the verified chain is one of these authorities. */
function isSignedBy({ rootFingerprint256 }: ClientCertificate, pem: string): boolean {
  return pemBlocks(pem).some((text) => new X509Certificate(text).fingerprint256 === rootFingerprint256)
}

function userInHeaders(
  headers: AccessRequest['headers'],
  { usernameHeaders, groupHeaders, extraPrefixes }: RequestHeaderAuthority,
): User | undefined {
  const valuesOf = (name: string): readonly string[] => headers[name.toLowerCase()] ?? []
  const username = usernameHeaders.flatMap(valuesOf).find((value) => value !== '')
  if (username === undefined) return undefined
  const extra: Record<string, readonly string[]> = {}
  for (const prefix of extraPrefixes.map((each) => each.toLowerCase())) {
    for (const [name, values] of Object.entries(headers)) {
      if (values !== undefined && name.startsWith(prefix)) extra[unescapeKey(name.slice(prefix.length))] = values
    }
  }
  const groups = groupHeaders.flatMap(valuesOf)
  return { username, groups: [...groups.filter((group) => group !== AUTHENTICATED), AUTHENTICATED], extra }
}

/** Extra keys are percent-encoded where a header name cannot hold them; others are used as they are. */
function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}
