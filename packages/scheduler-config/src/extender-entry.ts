import { isExtendedResourceName } from '@berth/resources'
import { z } from 'zod'
import { parseDurationMs } from './duration.ts'

/** A duration such as `30s`. */
export const durationText = z
  .string()
  .refine((text) => parseDurationMs(text) !== undefined, 'is not a duration, for example 30s or 500ms')

const tlsConfig = z
  .strictObject({
    insecure: z.boolean().optional().describe('Do not verify the certificate of the extender. Logs a warning.'),
    serverName: z.string().optional().describe('Server name to verify instead of the host in urlPrefix.'),
    certFile: z.string().optional().describe('File with the client certificate, PEM.'),
    keyFile: z.string().optional().describe('File with the key of the client certificate, PEM.'),
    caFile: z
      .string()
      .optional()
      .describe(
        'File with the CA bundle that verifies the certificate of the extender, PEM. Default: the roots of the system.',
      ),
    certData: z.string().optional().describe('Client certificate, PEM in base64. Overrides certFile.'),
    keyData: z.string().optional().describe('Key of the client certificate, PEM in base64. Overrides keyFile.'),
    caData: z.string().optional().describe('CA bundle, PEM in base64. Overrides caFile.'),
  })
  .refine((tls) => tls.insecure !== true || (tls.caFile === undefined && tls.caData === undefined), {
    message: 'specifying a root certificates file with the insecure flag is not allowed',
    path: ['insecure'],
  })

const managedResource = z.strictObject({
  name: z
    .string()
    .refine(isExtendedResourceName, 'is an invalid extended resource name')
    .describe('Extended resource that this extender manages.'),
  ignoredByScheduler: z.boolean().default(false).describe('NodeResourcesFit does not check this resource.'),
})

/** One entry of `extenders`, as in kubescheduler.config.k8s.io/v1. */
export const extenderEntry = z
  .strictObject({
    urlPrefix: z.url({ protocol: /^https?$/ }).describe('URL of the extender. The verbs are appended to it.'),
    filterVerb: z.string().default('').describe('Path of the filter call. Empty: the extender does not filter.'),
    prioritizeVerb: z
      .string()
      .default('')
      .describe('Path of the prioritize call. Empty: the extender does not prioritize.'),
    preemptVerb: z
      .string()
      .default('')
      .describe('Path of the preempt call. Empty: the extender does not take part in preemption.'),
    bindVerb: z.string().default('').describe('Path of the bind call. Empty: the extender does not bind.'),
    weight: z.int().default(0).describe('Weight of its scores.'),
    enableHTTPS: z
      .boolean()
      .default(false)
      .describe('No effect: urlPrefix chooses https, and the certificate is verified also without a CA.'),
    tlsConfig: tlsConfig.optional().describe('TLS settings for an https URL.'),
    httpTimeout: durationText.default('5s').describe('Timeout of a call.'),
    nodeCacheCapable: z.boolean().default(false).describe('Send node names instead of whole nodes.'),
    managedResources: z
      .array(managedResource)
      .default([])
      .describe('Call the extender only for pods that request one of these resources. Empty: for every pod.'),
    ignorable: z.boolean().default(false).describe('Schedule without the extender when it fails.'),
  })
  .refine((entry) => entry.prioritizeVerb === '' || entry.weight > 0, {
    message: 'must have a positive weight applied to it',
    path: ['weight'],
  })

/** A configured extender, with defaults. */
export type ExtenderEntry = z.output<typeof extenderEntry>
/** TLS settings of an extender. */
export type ExtenderTls = z.output<typeof tlsConfig>

/** The extenders of a configuration. At most one may bind, and at most one may manage a given resource. */
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
