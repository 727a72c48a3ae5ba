import { readFileSync } from 'node:fs'
import { generate } from 'selfsigned'
import { ConfigError } from '@berth/process/errors'
import { errorText } from '@berth/text/error-text'

/** Certificate and key of the HTTPS server, PEM. */
export interface ServingCertificate {
  readonly cert: string
  readonly key: string
}

const YEAR_MS = 365 * 24 * 3_600_000

/**
 * Reads the serving certificate.
 *
 * @throws ConfigError BERTH_SCHEDULER_CONFIG_INVALID when one of the files is missing or not readable.
 */
export function readCertificate(files: {
  readonly certFile: string | undefined
  readonly keyFile: string | undefined
}): ServingCertificate {
  return {
    cert: readPem(files.certFile, '--tls-cert-file'),
    key: readPem(files.keyFile, '--tls-private-key-file'),
  }
}

function readPem(path: string | undefined, flag: string): string {
  if (path === undefined) throw fault(`${flag} is missing: give the certificate and its key`)
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw fault(`${flag} ${path}: ${errorText(error)}`, error)
  }
}

function fault(reason: string, cause?: unknown): ConfigError {
  return new ConfigError(`read the serving certificate: ${reason}`, { code: 'BERTH_SCHEDULER_CONFIG_INVALID', cause })
}

/**
 * Creates a self-signed certificate for localhost, as kube-scheduler does when it has none.
 *
 * @param nowMs - Wall-clock time. The certificate is valid from an hour before it for one year.
 */
export async function createCertificate(nowMs: number): Promise<ServingCertificate> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(nowMs - 3_600_000),
    notAfterDate: new Date(nowMs + YEAR_MS),
    extensions: [
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  })
  return { cert, key }
}
