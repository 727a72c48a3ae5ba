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
  /** Issues a certificate for this common name and for 127.0.0.1, valid for a day unless it is expired. */
  issue(commonName: string, options?: { readonly isExpired?: boolean }): Promise<KeyPair>
}

const DAY_MS = 86_400_000
const common = { keyType: 'ec', algorithm: 'sha256' } as const

/** Creates an authority. */
export async function createAuthority(): Promise<TestAuthority> {
  const authority = await generate([{ name: 'commonName', value: 'Berth test authority' }], {
    ...common,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, digitalSignature: true, critical: true },
    ],
  })
  return {
    ca: authority.cert,
    async issue(commonName, { isExpired = false } = {}) {
      const nowMs = Date.now()
      const pems = await generate([{ name: 'commonName', value: commonName }], {
        ...common,
        ca: { key: authority.private, cert: authority.cert },
        notBeforeDate: new Date(nowMs - 2 * DAY_MS),
        notAfterDate: new Date(nowMs + (isExpired ? -DAY_MS : DAY_MS)),
        extensions: [
          { name: 'basicConstraints', cA: false },
          { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
          { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
        ],
      })
      return { cert: pems.cert, key: pems.private }
    },
  }
}
