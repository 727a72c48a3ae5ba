import { join } from 'node:path'
import type { AllowedOrigin } from '@berth/plugin-api'
import { z } from 'zod'

/** An HTTP server of the configuration that sources may query. */
export interface SourceOrigin {
  readonly origin: string
  readonly credentials?: string | undefined
}

/** Schema of one entry of `sourceOrigins`. */
export const sourceOriginSchema: z.ZodType<SourceOrigin, SourceOrigin> = z.strictObject({
  origin: z
    .string()
    .refine(isOrigin, 'expected PROTOCOL://HOST:PORT with http or https, and nothing after it')
    .describe('Protocol, host and port of the server. Example: https://prometheus.monitoring:9090.'),
  credentials: z
    .string()
    .regex(/^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/, 'expected the name of a Secret')
    .optional()
    .describe(
      'Name of the Secret with the credentials for this server, mounted in credentialsDir. Its keys: token, or username and password; ca.crt; tls.crt and tls.key. Needs https. Default: none.',
    ),
})

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, host, href } = new URL(text)
  return (protocol === 'http:' || protocol === 'https:') && href === `${protocol}//${host}/`
}

/** Returns what sources receive: the servers, each with the directory of its credentials. */
export function allowedOrigins(
  origins: readonly SourceOrigin[] = [],
  credentialsDir = '/run/berth/credentials',
): readonly AllowedOrigin[] {
  return origins.map(({ origin, credentials }) => ({
    origin,
    ...(credentials !== undefined && { credentialsDir: join(credentialsDir, credentials) }),
  }))
}
