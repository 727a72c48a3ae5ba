/** Certificates in PEM, on `node:crypto` alone. */
import { X509Certificate } from 'node:crypto'

/** Returns the text of each certificate in a PEM text. */
export function pemBlocks(pem: string): readonly string[] {
  return pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
}

/** Returns the certificates in a PEM text. What is not a certificate is left out. */
export function pemCertificates(pem: string): readonly X509Certificate[] {
  return pemBlocks(pem).flatMap((block) => {
    try {
      return [new X509Certificate(block)]
    } catch {
      return []
    }
  })
}
