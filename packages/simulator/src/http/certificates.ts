import { isIP } from 'node:net'
import { generate } from 'selfsigned'

/** The certificates of an HTTPS server and its authority, as PEM. */
export interface ServingCertificates {
  readonly ca: string
  readonly cert: string
  readonly key: string
}

const YEAR_MS = 365 * 24 * 3600 * 1000

/**
 * Creates a certificate authority and a serving certificate for `host`, localhost and the loopback addresses.
 *
 * @param nowMs - Wall-clock time. The certificates are valid from an hour before it for one year.
 */
export async function createCertificates(host: string, nowMs: number): Promise<ServingCertificates> {
  const validity = { notBeforeDate: new Date(nowMs - 3_600_000), notAfterDate: new Date(nowMs + YEAR_MS) }
  const shared = { ...validity, keyType: 'ec', curve: 'P-256', algorithm: 'sha256' } as const
  const authority = await generate([{ name: 'commonName', value: 'berth-simulator-ca' }], {
    ...shared,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, digitalSignature: true, critical: true },
    ],
  })
  const addresses = new Set(['127.0.0.1', '::1', ...(isIP(host) === 0 ? [] : [host])])
  const names = new Set(['localhost', 'kubernetes', 'kubernetes.default.svc', ...(isIP(host) === 0 ? [host] : [])])
  const serving = await generate([{ name: 'commonName', value: 'berth-simulator' }], {
    ...shared,
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          ...[...names].map((value) => ({ type: 2, value }) as const),
          ...[...addresses].map((ip) => ({ type: 7, ip }) as const),
        ],
      },
    ],
  })
  return { ca: authority.cert, cert: serving.cert, key: serving.private }
}
