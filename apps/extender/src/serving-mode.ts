import { errorText } from '@berth/text/error-text'
import { readFileSync } from 'node:fs'
import { ConfigError } from '@berth/process/errors'
import { parseHostPort } from '@berth/process/health'
import type { Config } from './config.ts'

/** Server certificate and key (PEM), and the CA of client certificates if callers must authenticate. */
export interface TlsMaterial {
  readonly cert: string
  readonly key: string
  readonly ca: string | undefined
}

/** The transport of the server: plain HTTP, or TLS with certificates that can be read again. */
export type ServingMode = { readonly kind: 'plain' } | { readonly kind: 'tls'; readonly read: () => TlsMaterial }

type Flags = Pick<
  Config,
  'listen' | 'tlsCertFile' | 'tlsPrivateKeyFile' | 'clientCaFile' | 'insecureHttp' | 'insecureAnywhere' | 'bind'
>

/**
 * Chooses the transport from the flags. Refuses flags that would allow unauthenticated callers from other machines.
 *
 * @throws ConfigError BERTH_EXTENDER_CONFIG_TLS
 */
export function chooseServingMode(flags: Flags): ServingMode {
  const { tlsCertFile, tlsPrivateKeyFile, clientCaFile, insecureHttp, insecureAnywhere, listen } = flags
  const isOpen = !isLoopback(parseHostPort(listen).host)
  const hasTls = tlsCertFile !== undefined || tlsPrivateKeyFile !== undefined || clientCaFile !== undefined
  if (insecureHttp && hasTls) throw refuse('--insecure-http and certificate flags are mutually exclusive')
  if (flags.bind && isOpen && clientCaFile === undefined && insecureAnywhere) {
    throw refuse(
      `bind on ${listen} without --client-ca-file would allow every caller to bind pods`,
      'Pass the certificate flags, or listen on 127.0.0.1. --insecure-anywhere does not allow this.',
    )
  }
  if (insecureHttp) {
    if (isOpen && !insecureAnywhere) {
      throw refuse(
        `plain HTTP on ${listen} would allow unauthenticated callers`,
        'Listen on 127.0.0.1, use certificates, or force it with --insecure-anywhere.',
      )
    }
    return { kind: 'plain' }
  }
  if (tlsCertFile === undefined || tlsPrivateKeyFile === undefined) {
    throw refuse(
      '--tls-cert-file and --tls-private-key-file are required',
      'On loopback, --insecure-http works without them.',
    )
  }
  if (clientCaFile === undefined && isOpen && !insecureAnywhere) {
    throw refuse(
      `without --client-ca-file, ${listen} would allow unauthenticated callers`,
      'Pass the CA of the callers, or force it with --insecure-anywhere.',
    )
  }
  const read = (): TlsMaterial => ({
    cert: readPem(tlsCertFile),
    key: readPem(tlsPrivateKeyFile),
    ca: clientCaFile === undefined ? undefined : readPem(clientCaFile),
  })
  read()
  return { kind: 'tls', read }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host)
}

function readPem(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw refuse(`cannot read ${file}: ${errorText(error)}`)
  }
}

function refuse(reason: string, hint?: string): ConfigError {
  return new ConfigError(`configure TLS: ${reason}`, {
    code: 'BERTH_EXTENDER_CONFIG_TLS',
    ...(hint !== undefined && { hint }),
  })
}
