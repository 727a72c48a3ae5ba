import { createPrivateKey, KeyObject, randomBytes, X509Certificate, webcrypto } from 'node:crypto'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
  type JsonGeneralName,
  type JsonName,
} from '@peculiar/x509'

/** A certificate and its private key, both PEM. */
export interface KeyPair {
  readonly cert: string
  readonly key: string
}

/** The content of a certificate that an authority issues. */
export interface LeafProfile {
  /** The only use of the certificate. */
  readonly usage: 'server' | 'client'
  readonly commonName: string
  readonly dnsNames: readonly string[]
  readonly ipAddresses: readonly string[]
}

/** When a certificate is issued, and for how long. */
export interface Validity {
  readonly nowMs: number
  readonly lifetimeMs: number
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const USES = { server: ExtendedKeyUsage.serverAuth, client: ExtendedKeyUsage.clientAuth } as const
/** A certificate is valid from before its issue, for verifiers whose clocks are behind. */
const MAX_BACKDATE_MS = 3_600_000

/** Creates a certificate authority that signs only end certificates. Its name differs from that of every other one. */
export async function createAuthority({ nowMs, lifetimeMs }: Validity): Promise<KeyPair> {
  const serialNumber = newSerialNumber()
  const name = `CN=berth-authority-${serialNumber.slice(-12)}`
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.create({
    serialNumber,
    subject: name,
    issuer: name,
    ...dates(nowMs, nowMs + lifetimeMs),
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey: keys.privateKey,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { cert: pemText(certificate.toString('pem')), key: privateKeyText(keys.privateKey) }
}

/** Issues a certificate for one use. It expires no later than the authority. */
export async function issueLeaf(authority: KeyPair, profile: LeafProfile, validity: Validity): Promise<KeyPair> {
  const issuer = new X509Certificate(authority.cert)
  const endMs = Math.min(validity.nowMs + validity.lifetimeMs, issuer.validToDate.getTime())
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const signingKey = createPrivateKey(authority.key).toCryptoKey(ALGORITHM, false, ['sign'])
  const names = alternativeNames(profile)
  const certificate = await X509CertificateGenerator.create({
    serialNumber: newSerialNumber(),
    subject: subjectOf(profile),
    issuer: issuer.subject,
    ...dates(validity.nowMs, endMs),
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([USES[profile.usage]]),
      await AuthorityKeyIdentifierExtension.create(await publicKeyOf(issuer)),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      ...(names === undefined ? [] : [names]),
    ],
  })
  return { cert: pemText(certificate.toString('pem')), key: privateKeyText(keys.privateKey) }
}

function dates(nowMs: number, endMs: number): { readonly notBefore: Date; readonly notAfter: Date } {
  const backdateMs = Math.min(MAX_BACKDATE_MS, Math.max(0, endMs - nowMs) / 6)
  return { notBefore: new Date(nowMs - backdateMs), notAfter: new Date(endMs) }
}

/** Returns the subject of the certificates of a profile. */
export function subjectOf({ commonName }: LeafProfile): JsonName {
  return [{ CN: [commonName] }]
}

/** Returns the names for which the certificates of a profile are valid; undefined if there are none. */
export function alternativeNames({ dnsNames, ipAddresses }: LeafProfile): SubjectAlternativeNameExtension | undefined {
  const names: JsonGeneralName[] = [
    ...dnsNames.map((value) => ({ type: 'dns', value }) as const),
    ...ipAddresses.map((value) => ({ type: 'ip', value }) as const),
  ]
  return names.length === 0 ? undefined : new SubjectAlternativeNameExtension(names)
}

function publicKeyOf({ publicKey }: X509Certificate): Promise<CryptoKey> {
  return webcrypto.subtle.importKey('spki', publicKey.export({ type: 'spki', format: 'der' }), ALGORITHM, true, [
    'verify',
  ])
}

/** Returns 16 random bytes in hex. The first bit is 0, because a serial number is positive. */
function newSerialNumber(): string {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40
  return bytes.toString('hex')
}

function privateKeyText(key: CryptoKey): string {
  return KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' })
}

function pemText(pem: string): string {
  return `${pem.trim()}\n`
}
