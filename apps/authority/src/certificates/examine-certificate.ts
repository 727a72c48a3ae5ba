import { createPrivateKey, type X509Certificate } from 'node:crypto'
import { pemCertificates } from '@berth/process/certificates'
import type { KeyPair, LeafProfile } from './issue-certificate.ts'

const EXTENDED_KEY_USAGES = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' } as const

/** Returns the first certificate of a PEM text; undefined if it has none that can be read. */
export function firstCertificate(pem: string): X509Certificate | undefined {
  return pemCertificates(pem)[0]
}

/** Whether the key belongs to the certificate, and the certificate is valid now. */
export function isLive({ cert, key }: KeyPair, nowMs: number): boolean {
  const certificate = firstCertificate(cert)
  return certificate !== undefined && isCurrent(certificate, nowMs) && hasKey(certificate, key)
}

/** Whether these keys can sign certificates now. */
export function isUsableAuthority(keys: KeyPair, nowMs: number): boolean {
  return isLive(keys, nowMs) && firstCertificate(keys.cert)?.ca === true
}

/** Whether a certificate is valid now. */
export function isCurrent({ validFromDate, validToDate }: X509Certificate, nowMs: number): boolean {
  return validFromDate.getTime() <= nowMs && nowMs < validToDate.getTime()
}

/** When a certificate has lived for a share of its lifetime, ms since the epoch. */
export function timeAtShare({ validFromDate, validToDate }: X509Certificate, share: number): number {
  const startMs = validFromDate.getTime()
  return startMs + (validToDate.getTime() - startMs) * share
}

/** Whether an authority issued this certificate with the content of a profile. */
export function isIssued(certificate: X509Certificate, profile: LeafProfile, authority: KeyPair): boolean {
  const issuer = firstCertificate(authority.cert)
  return (
    issuer !== undefined &&
    certificate.verify(issuer.publicKey) &&
    certificate.subject === `CN=${profile.commonName}` &&
    certificate.keyUsage.join() === EXTENDED_KEY_USAGES[profile.usage] &&
    namesText(certificate.subjectAltName?.split(', ') ?? []) ===
      namesText([
        ...profile.dnsNames.map((name) => `DNS:${name}`),
        ...profile.ipAddresses.map((address) => `IP Address:${address}`),
      ])
  )
}

function namesText(names: readonly string[]): string {
  return names.toSorted().join()
}

function hasKey(certificate: X509Certificate, key: string): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(key))
  } catch {
    return false
  }
}
