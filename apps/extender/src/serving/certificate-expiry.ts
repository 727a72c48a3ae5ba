import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { pemCertificates } from '@berth/process/certificates'
import type { Clock, Logger } from '@berth/types'
import type { ExtenderMetrics } from '../metrics.ts'
import type { TlsMaterial } from '../serving-mode.ts'

/** Which certificate: the own one, the authority of the callers, or that of the last caller. */
type Certificate = 'server' | 'client-ca' | 'client'

/** Reports when the certificates of the server and of its callers expire. */
export interface CertificateExpiry {
  /** Reports those of the server. Call it regularly: it warns once a certificate is about to expire. */
  read(material: TlsMaterial): void
  /** Reports that of a verified caller. */
  connected(socket: Socket): void
}

const WARNING_MS = 30 * 24 * 3_600_000

/** Reports to the metric `certificateExpiry`, and logs one warning for each certificate that expires within 30 days. */
export function createCertificateExpiry(options: {
  readonly metrics: Pick<ExtenderMetrics, 'certificateExpiry'>
  readonly clock: Clock
  readonly log: Logger
}): CertificateExpiry {
  const { metrics, clock, log } = options
  const warned = new Map<Certificate, number>()
  const report = (certificate: Certificate, expiresAtMs: number | undefined): void => {
    if (expiresAtMs === undefined) return
    metrics.certificateExpiry.set({ certificate }, expiresAtMs / 1_000)
    if (expiresAtMs - clock.now() > WARNING_MS || warned.get(certificate) === expiresAtMs) return
    warned.set(certificate, expiresAtMs)
    const expires = new Date(expiresAtMs).toISOString()
    log.warn(
      { certificate, expires },
      'A certificate expires soon: renew it, or kube-scheduler cannot call the extender',
    )
  }
  return {
    read({ cert, ca }) {
      report('server', expiresAtMs(cert))
      if (ca !== undefined) report('client-ca', expiresAtMs(ca))
    },
    connected(socket) {
      if (!(socket instanceof TLSSocket)) return
      const { valid_to: validTo } = socket.getPeerCertificate()
      if (validTo !== undefined) report('client', Date.parse(validTo))
    },
  }
}

/** Returns when the first certificate of a PEM bundle expires, ms since the epoch; undefined if it has none that can be read. */
function expiresAtMs(bundle: string): number | undefined {
  const times = pemCertificates(bundle).map(({ validToDate }) => validToDate.getTime())
  return times.length === 0 ? undefined : Math.min(...times)
}
