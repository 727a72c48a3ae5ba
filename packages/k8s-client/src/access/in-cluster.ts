import { accessSync, readFileSync } from 'node:fs'
import { isIPv6 } from 'node:net'
import { join } from 'node:path'
import type { ClusterAccess } from './cluster-access.ts'
import { withCaFile } from './ca-file.ts'
import { KubeconfigError } from './kubeconfig-error.ts'
import { tokenFileSource } from './token-file.ts'

const SERVICE_ACCOUNT_DIR = '/var/run/secrets/kubernetes.io/serviceaccount'

/** Options of {@link inClusterAccess}. */
export interface InClusterOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Directory of the mounted service account; for tests. */
  readonly serviceAccountDir?: string
  /** Monotonic milliseconds. */
  readonly now: () => number
}

/**
 * Returns access through the service account of the pod that this process runs in.
 *
 * @returns Undefined outside of a pod.
 * @throws KubeconfigError BERTH_KUBECONFIG_CREDENTIALS if the certificate authority cannot be read.
 */
export function inClusterAccess(options: InClusterOptions): ClusterAccess | undefined {
  const host = options.env['KUBERNETES_SERVICE_HOST']
  const port = options.env['KUBERNETES_SERVICE_PORT'] ?? '443'
  const dir = options.serviceAccountDir ?? SERVICE_ACCOUNT_DIR
  const tokenFile = join(dir, 'token')
  if (host === undefined || host === '' || !isReadable(tokenFile)) return undefined
  const place = { file: tokenFile, context: 'service account' }
  const caFile = join(dir, 'ca.crt')
  const namespaceFile = join(dir, 'namespace')
  let ca: string
  try {
    ca = readFileSync(caFile, 'utf8')
  } catch (cause) {
    throw new KubeconfigError(
      `read the certificate authority of the service account ${caFile}: ${String(cause)}`,
      place,
      {
        code: 'BERTH_KUBECONFIG_CREDENTIALS',
        cause,
        hint: 'Check automountServiceAccountToken of the pod.',
      },
    )
  }
  return {
    source: 'service account',
    context: 'service account',
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    namespace: isReadable(namespaceFile) ? readFileSync(namespaceFile, 'utf8').trim() : undefined,
    ca,
    tlsServerName: undefined,
    skipTlsVerify: false,
    credentials: withCaFile(tokenFileSource(tokenFile, place, options.now), caFile, ca, options.now),
  }
}

function isReadable(file: string): boolean {
  try {
    accessSync(file)
    return true
  } catch {
    return false
  }
}
