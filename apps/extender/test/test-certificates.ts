import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generate } from 'selfsigned'
import type { chooseServingMode } from '../src/serving-mode.ts'

/** A certificate and its key, PEM. */
export interface Keys {
  readonly cert: string
  readonly key: string
}

/**
 * Creates a self-signed certificate, which is its own CA. It is valid from now for a year, or from and until a time in ms
 * since the epoch.
 */
export async function selfSigned(
  commonName: string,
  dnsNames: readonly string[] = [],
  expiresAtMs?: number,
  startsAtMs?: number,
): Promise<Keys> {
  const names = [{ type: 7, ip: '127.0.0.1' } as const, ...dnsNames.map((value) => ({ type: 2, value }) as const)]
  const pems = await generate([{ name: 'commonName', value: commonName }], {
    keySize: 2048,
    algorithm: 'sha256',
    ...(startsAtMs !== undefined && { notBeforeDate: new Date(startsAtMs) }),
    ...(expiresAtMs !== undefined && { notAfterDate: new Date(expiresAtMs) }),
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: names },
    ],
  })
  return { cert: pems.cert, key: pems.private }
}

/** Writes the certificates into a directory, and returns the flags that name them. */
export function filesIn(dir: string, server: Keys, caller: Keys): Parameters<typeof chooseServingMode>[0] {
  const paths = {
    tlsCertFile: join(dir, 'tls.crt'),
    tlsPrivateKeyFile: join(dir, 'tls.key'),
    clientCaFile: join(dir, 'ca.crt'),
  }
  writeFileSync(paths.tlsCertFile, server.cert)
  writeFileSync(paths.tlsPrivateKeyFile, server.key)
  writeFileSync(paths.clientCaFile, caller.cert)
  return { listen: '127.0.0.1:0', insecureHttp: false, insecureAnywhere: false, bind: false, ...paths }
}
