import { jitter, pause } from '@berth/clock'
import { errorText } from '@berth/text/error-text'
import type { ApiClient } from '@berth/k8s-client'
import type { ServerTls } from '@berth/process/health'
import type { Clock, Logger, Random } from '@berth/types'
import { type ClientAuthorities, readClientAuthorities } from './client-authorities.ts'
import type { ServingCertificate } from './serving-certificate.ts'

/** Certificates of a server that are read again while it runs. */
export interface CurrentTls {
  /** The authorities that were read last. */
  readonly authorities: () => ClientAuthorities
  readonly tls: () => ServerTls
  /** Reads files and authorities every minute until `signal` aborts, and passes the certificates on when they changed. */
  watch(onChange: (tls: ServerTls) => void, signal: AbortSignal): Promise<void>
}

/** Options of {@link readTls}. */
export interface ReadTlsOptions {
  readonly client: Pick<ApiClient, 'get'>
  readonly readCertificate: () => ServingCertificate
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

/** kube-scheduler's interval. */
const CHECK_MS = 60_000
const JITTER = 0.1

/**
 * Reads the serving certificate and the authorities of client certificates. Without the authorities, which need the
 * Role `extension-apiserver-authentication-reader`, only tokens are accepted, until they can be read.
 *
 * @throws ConfigError BERTH_SCHEDULER_CONFIG_INVALID when the serving certificate cannot be read.
 */
export async function readTls({ client, readCertificate, clock, random, log }: ReadTlsOptions): Promise<CurrentTls> {
  let certificate = readCertificate()
  let authorities: ClientAuthorities = {}
  let lastFailure = ''
  const readAuthorities = async (): Promise<void> => {
    try {
      authorities = await readClientAuthorities(client)
      lastFailure = ''
    } catch (error) {
      const reason = errorText(error)
      const level = reason === lastFailure ? 'debug' : 'warn'
      lastFailure = reason
      log[level](
        { err: reason },
        'Could not read configmap kube-system/extension-apiserver-authentication: client certificates are checked with the previous authorities; grant the Role extension-apiserver-authentication-reader',
      )
    }
  }
  const tls = (): ServerTls => {
    const { clientCa, requestHeader } = authorities
    return { ...certificate, clientAuthorities: [clientCa, requestHeader?.ca].filter((ca) => ca !== undefined) }
  }
  await readAuthorities()
  return {
    authorities: () => authorities,
    tls,
    async watch(onChange, signal) {
      let current = JSON.stringify(tls())
      for (;;) {
        await pause(clock, jitter(CHECK_MS, JITTER, random), signal)
        if (signal.aborted) return
        await readAuthorities()
        try {
          certificate = readCertificate()
          const next = JSON.stringify(tls())
          if (next === current) continue
          onChange(tls())
          current = next
          log.info({}, 'Reloaded certificates')
        } catch (error) {
          log.warn({ err: errorText(error) }, 'Could not reload certificates; keeping the previous ones')
        }
      }
    },
  }
}
