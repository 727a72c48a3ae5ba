import { isExtendedResourceName } from '@berth/resources'
import { z } from 'zod'
import { parseDurationMs } from './duration.ts'

/** A duration such as `30s`. */
export const durationText = z
  .string()
  .refine((text) => parseDurationMs(text) !== undefined, 'is no duration, for example 30s or 500ms')

const tlsConfig = z
  .strictObject({
    insecure: z.boolean().optional().describe('Do not verify the certificate of the extender.'),
    serverName: z.string().optional().describe('Name to verify instead of the host.'),
    certFile: z.string().optional().describe('Client certificate, PEM file.'),
    keyFile: z.string().optional().describe('Key of the client certificate, PEM file.'),
    caFile: z.string().optional().describe('CA bundle that signed the certificate of the extender, PEM file.'),
    certData: z.string().optional().describe('Client certificate, PEM in base64; overrides certFile.'),
    keyData: z.string().optional().describe('Key of the client certificate, PEM in base64; overrides keyFile.'),
    caData: z.string().optional().describe('CA bundle, PEM in base64; overrides caFile.'),
  })
  .refine((tls) => tls.insecure !== true || (tls.caFile === undefined && tls.caData === undefined), {
    message: 'specifying a root certificates file with the insecure flag is not allowed',
    path: ['insecure'],
  })

const managedResource = z.strictObject({
  name: z
    .string()
    .refine(isExtendedResourceName, 'is an invalid extended resource name')
    .describe('Extended resource that this extender looks after.'),
  ignoredByScheduler: z.boolean().default(false).describe('The fit plugin does not check the resource.'),
})

/** One entry of `extenders`, as in kubescheduler.config.k8s.io/v1. */
export const extenderEntry = z
  .strictObject({
    urlPrefix: z.url({ protocol: /^https?$/ }).describe('Where the extender listens; verbs are appended to it.'),
    filterVerb: z.string().default('').describe('Path of the filter call; empty: not supported.'),
    prioritizeVerb: z.string().default('').describe('Path of the prioritize call; empty: not supported.'),
    preemptVerb: z.string().default('').describe('Path of the preempt call; empty: not supported.'),
    bindVerb: z.string().default('').describe('Path of the bind call; empty: not supported.'),
    weight: z.int().default(0).describe('Factor of its scores.'),
    enableHTTPS: z.boolean().default(false).describe('Without a CA: do not verify. It does not change the URL.'),
    tlsConfig: tlsConfig.optional().describe('Certificates for https.'),
    httpTimeout: durationText.default('5s').describe('Longest wait for an answer.'),
    nodeCacheCapable: z.boolean().default(false).describe('Send names of nodes, not whole nodes.'),
    managedResources: z.array(managedResource).default([]).describe('Only pods that ask for one of them are sent.'),
    ignorable: z.boolean().default(false).describe('Go on without it when it fails.'),
  })
  .refine((entry) => entry.prioritizeVerb === '' || entry.weight > 0, {
    message: 'must have a positive weight applied to it',
    path: ['weight'],
  })

/** An extender as configured, defaults filled in. */
export type ExtenderEntry = z.output<typeof extenderEntry>
/** Its TLS part. */
export type ExtenderTls = z.output<typeof tlsConfig>

/** The extenders of a configuration: one may bind, and a resource has one of them. */
export const extenderEntries = z.array(extenderEntry).superRefine((entries, context) => {
  const binders = entries.filter((entry) => entry.bindVerb !== '').length
  if (binders > 1) {
    context.addIssue({
      code: 'custom',
      message: `found ${binders} extenders implementing bind; only one extender can implement bind`,
    })
  }
  const seen = new Set<string>()
  for (const [i, entry] of entries.entries()) {
    for (const [k, { name }] of entry.managedResources.entries()) {
      if (seen.has(name)) {
        context.addIssue({
          code: 'custom',
          message: 'duplicate extender managed resource name',
          path: [i, 'managedResources', k, 'name'],
        })
      }
      seen.add(name)
    }
  }
})
