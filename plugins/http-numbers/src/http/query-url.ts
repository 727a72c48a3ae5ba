import { hideUrlCredentials } from '@berth/text/hide-url-credentials'
import { PluginError, type AllowedOrigin } from '@berth/plugin-api'
import { fillNodeName } from '@berth/source-kit/node-placeholder'
import { z } from 'zod'

/** Schema of a URL that a source queries. Add `.describe(…)`. */
export const queryUrl: z.ZodString = z
  .string()
  .max(2048)
  .superRefine((text, context) => {
    const refuse = (message: string): void => context.addIssue({ code: 'custom', message })
    if (!URL.canParse(text)) return refuse(`${hideUrlCredentials(text)} is not a URL`)
    const { protocol, host, username, password } = new URL(text)
    if (protocol !== 'http:' && protocol !== 'https:') return refuse('expected a URL with http or https')
    if (username !== '' || password !== '')
      refuse('credentials belong into the files of credentialsDir, not into the URL')
    // Otherwise a node could choose the server that its amount comes from.
    if (decodeURIComponent(host).includes('{')) refuse('the host cannot contain {node}')
  })

/**
 * Returns the entry of the operator's list for a URL.
 *
 * @throws PluginError BERTH_PLUGIN_ARGS if the list does not have the server, or if its credentials would be readable by
 * others on the way.
 */
export function allowedOrigin(url: string, origins: readonly AllowedOrigin[] = []): AllowedOrigin {
  const { origin, protocol } = new URL(url)
  const allowed = origins.find((entry) => URL.canParse(entry.origin) && new URL(entry.origin).origin === origin)
  if (allowed === undefined) throw refusal(`${origin} is not in sourceOrigins of the advertiser's configuration`)
  if (allowed.credentialsDir !== undefined && protocol === 'http:') {
    throw refusal(`${origin} has credentials, which cannot be sent over http: use https`)
  }
  return allowed
}

/**
 * Returns the URL for one node.
 *
 * @throws Error if the name of the node leads to another server.
 */
export function urlForNode(url: string, nodeName: string): URL {
  const filled = new URL(fillNodeName(url, nodeName))
  if (filled.origin !== new URL(url).origin) throw new Error(`the name of node ${nodeName} changes the server`)
  return filled
}

function refusal(reason: string): PluginError {
  return new PluginError(`args.url: ${reason}`, { code: 'BERTH_PLUGIN_ARGS' })
}
