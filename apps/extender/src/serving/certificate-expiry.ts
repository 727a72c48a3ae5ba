import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { pemCertificates } from '@berth/process/certificates'
import type { Clock, Logger, Timer } from '@berth/types'
import type { ExtenderMetrics } from '../metrics.ts'
import type { TlsMaterial } from '../serving-mode.ts'

/** Which certificate: the own one, the authority of the callers, or that of a caller. */
type Certificate = 'server' | 'client-ca' | 'client'

/** Reports when the certificates of the server and of its callers expire. */
export interface CertificateExpiry {
  /** Reports those of the server. Call it regularly: it warns once a certificate is about to expire. */
  read(material: TlsMaterial): void
  /** Reports that of a verified caller: of those that are connected, the first to expire. */
  connected(socket: Socket): void
  stop(): void
}

/** Renewal after two thirds of the lifetime leaves a third: a sixth is late. Certificates of years warn 30 days before. */
const WARNING = { share: 1 / 6, maxMs: 30 * 24 * 3_600_000 } as const

/** A caller that has not called for a day may have another certificate by now. */
const FORGET_MS = 24 * 3_600_000

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
  const callers = new Map<Socket, Validity>()
  let forgetting: Timer | undefined
  const forget = (): void => metrics.certificateExpiry.remove({ certificate: 'client' })
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
      if (validTo === undefined) return
      forgetting?.cancel()
      callers.set(socket, { startsAtMs: Date.parse(validFrom), expiresAtMs: Date.parse(validTo) })
      report('client', firstToExpire([...callers.values()]))
      socket.once('close', () => {
        callers.delete(socket)
        if (callers.size === 0) forgetting = clock.setTimer(FORGET_MS, forget)
        else report('client', firstToExpire([...callers.values()]))
      })
    },
    stop: () => forgetting?.cancel(),
  }
}

/** Returns the validity of the first certificate of a PEM bundle to expire; undefined if it has none that can be read. */
function validityOf(bundle: string): Validity | undefined {
  return firstToExpire(
    pemCertificates(bundle).map(({ validFromDate, validToDate }) => ({
      startsAtMs: validFromDate.getTime(),
      expiresAtMs: validToDate.getTime(),
    })),
  )
}

function firstToExpire(all: readonly Validity[]): Validity | undefined {
  return all.toSorted((a, b) => a.expiresAtMs - b.expiresAtMs)[0]
}
