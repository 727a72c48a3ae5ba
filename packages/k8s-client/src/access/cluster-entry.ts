import { hideUrlCredentials } from '@berth/text/hide-url-credentials'
import { readFileSync } from 'node:fs'
import type { Cluster } from '@kubernetes/client-node'
import { kubeconfigError, oneLineMessage, type KubeconfigPlace } from './kubeconfig-error.ts'

/** The proxy protocols that kubectl supports. */
const PROXY_PROTOCOLS: ReadonlySet<string> = new Set(['http:', 'https:', 'socks5:'])

/** Returns the URL of the server of a cluster entry, without a slash at the end. */
export function serverOf(cluster: Cluster, file: string, context: string): string {
  const place = { file, context, key: `clusters[${cluster.name}].cluster.server` }
  const hint = 'Set server to a URL such as https://10.0.0.1:6443.'
  const shown = hideUrlCredentials(cluster.server)
  const url = URL.canParse(cluster.server) ? new URL(cluster.server) : invalid(place, `is not a URL: "${shown}"`, hint)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') invalid(place, `has an unknown protocol: "${shown}"`, hint)
  if (url.username !== '' || url.password !== '')
    invalid(place, 'contains a user or a password', 'Move them to username and password of the user entry.')
  return cluster.server.replace(/\/+$/, '')
}

/** Returns the proxy of a cluster entry; undefined without one. As in client-go, an empty value means none. */
export function proxyOf({ name, proxyUrl }: Cluster, file: string, context: string): string | undefined {
  if (!proxyUrl) return undefined
  const place = { file, context, key: `clusters[${name}].cluster.proxy-url` }
  const hint = 'Set proxy-url to a URL such as http://10.0.0.1:3128.'
  // The URL of a proxy may contain a password, so messages never repeat it.
  const { protocol } = URL.canParse(proxyUrl) ? new URL(proxyUrl) : invalid(place, 'is not a URL', hint)
  if (!PROXY_PROTOCOLS.has(protocol))
    invalid(place, `uses "${protocol}//", but only http, https and socks5 are supported`, hint)
  return proxyUrl
}

function invalid(place: Required<KubeconfigPlace>, reason: string, hint: string): never {
  throw kubeconfigError(place, reason, { code: 'BERTH_KUBECONFIG_INVALID', hint })
}

/**
 * Returns the certificate authority of a cluster entry, and its file if it comes from one. As in client-go, data win over
 * a file, and an empty value means none.
 */
export function caOf(
  cluster: Cluster,
  file: string,
  context: string,
): { readonly text?: string | undefined; readonly caFile?: string | undefined } {
  const placed = (key: string): Required<KubeconfigPlace> => ({
    file,
    context,
    key: `clusters[${cluster.name}].cluster.${key}`,
  })
  if (cluster.caData) {
    const text = Buffer.from(cluster.caData, 'base64').toString('utf8')
    return { text: pemOrInvalid(text, placed('certificate-authority-data')) }
  }
  const { caFile } = cluster
  if (!caFile) return {}
  const place = placed('certificate-authority')
  let text: string
  try {
    text = readFileSync(caFile, 'utf8')
  } catch (cause) {
    const hint = 'Correct the path of the certificate authority.'
    throw kubeconfigError(place, oneLineMessage(cause), { code: 'BERTH_KUBECONFIG_INVALID', cause, hint })
  }
  return { text: pemOrInvalid(text, place), caFile }
}

/**
 * Refuses text that is not PEM. OpenSSL reads it as an empty list of authorities: no server would be trusted, and no
 * error would give the reason.
 */
function pemOrInvalid(text: string, place: Required<KubeconfigPlace>): string {
  return text.includes('-----BEGIN CERTIFICATE-----')
    ? text
    : invalid(
        place,
        'does not contain a PEM certificate',
        'Provide one or more PEM certificates; certificate-authority-data holds them in base64.',
      )
}
