/** Certificates in PEM, on `node:crypto` alone. */
import { X509Certificate } from 'node:crypto'

/** Returns each certificate block in a PEM text, from BEGIN to END. Other blocks, such as keys, are left out. */
export function pemBlocks(pem: string): readonly string[] {
  return pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
}

/** Returns the certificates in a PEM text. Other blocks, and blocks that cannot be parsed, are left out. */
export function pemCertificates(pem: string): readonly X509Certificate[] {
  return pemBlocks(pem).flatMap((block) => {
    try {
      return [new X509Certificate(block)]
    } catch {
      return []
    }
  })
}
