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

/** Renewal after two thirds of the lifetime leaves a third: a sixth is late. Certificates of years warn 30 days before. */
const WARNING = { share: 1 / 6, maxMs: 30 * 24 * 3_600_000 } as const

/** When a certificate is valid, ms since the epoch. */
interface Validity {
  readonly startsAtMs: number
  readonly expiresAtMs: number
}

/** Reports to the metric `certificateExpiry`, and logs one warning for each certificate that was not renewed in time. */
export function createCertificateExpiry(options: {
  readonly metrics: Pick<ExtenderMetrics, 'certificateExpiry'>
  readonly clock: Clock
  readonly log: Logger
}): CertificateExpiry {
  const { metrics, clock, log } = options
  const warned = new Map<Certificate, number>()
  const report = (certificate: Certificate, validity: Validity | undefined): void => {
    if (validity === undefined) return
    const { startsAtMs, expiresAtMs } = validity
    metrics.certificateExpiry.set({ certificate }, expiresAtMs / 1_000)
    const warningMs = Math.min(WARNING.maxMs, (expiresAtMs - startsAtMs) * WARNING.share)
    if (expiresAtMs - clock.now() > warningMs || warned.get(certificate) === expiresAtMs) return
    warned.set(certificate, expiresAtMs)
    const expires = new Date(expiresAtMs).toISOString()
    log.warn(
      { certificate, expires },
      'A certificate expires soon: renew it, or kube-scheduler cannot call the extender',
    )
  }
  return {
    read({ cert, ca }) {
      report('server', validityOf(cert))
      if (ca !== undefined) report('client-ca', validityOf(ca))
    },
    connected(socket) {
      if (!(socket instanceof TLSSocket)) return
      const { valid_from: validFrom, valid_to: validTo } = socket.getPeerCertificate()
      if (validTo !== undefined) {
        report('client', { startsAtMs: Date.parse(validFrom), expiresAtMs: Date.parse(validTo) })
      }
    },
  }
}

/** Returns the validity of the first certificate of a PEM bundle to expire; undefined if it has none that can be read. */
function validityOf(bundle: string): Validity | undefined {
  const [first] = pemCertificates(bundle)
    .map(({ validFromDate, validToDate }) => ({
      startsAtMs: validFromDate.getTime(),
      expiresAtMs: validToDate.getTime(),
    }))
    .toSorted((a, b) => a.expiresAtMs - b.expiresAtMs)
  return first
}
