import { generate } from 'selfsigned'

/** A certificate and its key, PEM. */
export interface KeyPair {
  readonly cert: string
  readonly key: string
}

/** A certificate authority of a test. */
export interface TestAuthority {
  /** Its certificate, PEM. */
  readonly ca: string
  /** Issues a certificate for this common name and for 127.0.0.1, valid for a day unless it is expired. Default: for both uses. */
  issue(
    commonName: string,
    options?: { readonly isExpired?: boolean; readonly use?: 'server' | 'client' },
  ): Promise<KeyPair>
}

const DAY_MS = 86_400_000
const common = { keyType: 'ec', algorithm: 'sha256' } as const

/** Creates an authority. */
export async function createAuthority(name = 'Berth test authority'): Promise<TestAuthority> {
  const authority = await generate([{ name: 'commonName', value: name }], {
    ...common,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, digitalSignature: true, critical: true },
    ],
  })
  return {
    ca: authority.cert,
    async issue(commonName, { isExpired = false, use } = {}) {
      const nowMs = Date.now()
      const pems = await generate([{ name: 'commonName', value: commonName }], {
        ...common,
        ca: { key: authority.private, cert: authority.cert },
        notBeforeDate: new Date(nowMs - 2 * DAY_MS),
        notAfterDate: new Date(nowMs + (isExpired ? -DAY_MS : DAY_MS)),
        extensions: [
          { name: 'basicConstraints', cA: false },
          { name: 'extKeyUsage', serverAuth: use !== 'client', clientAuth: use !== 'server' },
          { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
        ],
      })
      return { cert: pems.cert, key: pems.private }
    },
  }
}
