import type { ApiClient } from '@berth/k8s-client'
import type { KubernetesObject } from '@berth/types'
import type { TestAuthority } from './certificates.ts'
import { putSecret } from './secret-mount.ts'

/** A Certificate of cert-manager, with the fields of the chart. */
export interface CertificateObject extends KubernetesObject {
  readonly spec?: unknown
}

interface CertificateSpec {
  readonly isCA?: boolean
  readonly secretName: string
  readonly commonName: string
  readonly usages?: readonly string[]
}

/** Certificates that were issued, PEM. */
export interface IssuedCertificates {
  readonly server: string
  readonly client: string
}

/** Writes the Secrets of Certificates as cert-manager does, with certificates of `issuer` and the authorities `ca`. */
export async function issueAsCertManager(
  client: ApiClient,
  namespace: string,
  certificates: readonly CertificateObject[],
  { issuer, ca }: { readonly issuer: TestAuthority; readonly ca: string },
): Promise<IssuedCertificates> {
  const issued = { server: '', client: '' }
  for (const { spec } of certificates) {
    const { isCA = false, secretName, commonName, usages = [] } = spec as CertificateSpec
    if (isCA) continue
    const use = usages.includes('server auth') ? 'server' : 'client'
    const { cert, key } = await issuer.issue(commonName, { use })
    await putSecret(client, { namespace, name: secretName }, { 'ca.crt': ca, 'tls.crt': cert, 'tls.key': key })
    issued[use] = cert
  }
  return issued
}

/** Returns the certificates of several authorities as one file. */
export function bundle(...issuers: readonly TestAuthority[]): string {
  return issuers.map(({ ca }) => `${ca.trim()}\n`).join('')
}
