import { createPrivateKey, type X509Certificate } from 'node:crypto'
import { pemCertificates } from '@berth/process/certificates'
import { Name, SubjectAlternativeNameExtension, X509Certificate as ParsedCertificate } from '@peculiar/x509'
import { alternativeNames, type KeyPair, type LeafProfile, subjectOf } from './issue-certificate.ts'

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
  if (issuer === undefined || !certificate.verify(issuer.publicKey)) return false
  // Parsed, because the texts of Node escape names and write addresses in another form.
  const parsed = new ParsedCertificate(certificate.raw)
  return (
    parsed.subject === new Name(subjectOf(profile)).toString() &&
    certificate.keyUsage.join() === EXTENDED_KEY_USAGES[profile.usage] &&
    namesText(parsed.getExtension(SubjectAlternativeNameExtension)) === namesText(alternativeNames(profile))
  )
}

function namesText(extension: SubjectAlternativeNameExtension | null | undefined): string {
  const names = extension?.names.toJSON() ?? []
  return JSON.stringify(names.map(({ type, value }) => `${type} ${value}`).toSorted())
}

function hasKey(certificate: X509Certificate, key: string): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(key))
  } catch {
    return false
  }
}
