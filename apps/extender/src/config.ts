import { defineConfig, isHostPort, type ConfigOf } from '@berth/process/config'
import { z } from 'zod'

const plugin = z.strictObject({
  name: z.string().min(1).describe('Name of a scheduling plugin: a built-in one, or one from --plugin-dir.'),
  weight: z.int().min(0).max(1_000).default(1).describe('Factor of its scores.'),
  args: z.record(z.string(), z.unknown()).default({}).describe('Its arguments; each plugin has its own schema.'),
})
/** One entry of `plugins`, defaults filled in. */
export type PluginEntry = z.output<typeof plugin>

/** The configuration of the extender. */
export const configDefinition = defineConfig({
  name: 'extender',
  summary: 'A webhook of kube-scheduler: filters and scores nodes with the plugins that it is told to run.',
  healthAddress: '0.0.0.0:9403',
  schema: z.strictObject({
    kubeconfig: z.string().optional().describe('Kubeconfig file. Default: KUBECONFIG, ~/.kube/config, or in-cluster.'),
    listen: z
      .string()
      .refine(isHostPort, 'expected HOST:PORT')
      .default('127.0.0.1:8888')
      .describe('Where kube-scheduler calls, as HOST:PORT; port 0 takes any free one.'),
    tlsCertFile: z.string().optional().describe('Certificate of this server, PEM; read again when it changes.'),
    tlsPrivateKeyFile: z.string().optional().describe('Key of that certificate, PEM.'),
    clientCaFile: z
      .string()
      .optional()
      .describe('CA bundle that signed the certificates of callers, PEM. Callers without one are turned away.'),
    insecureHttp: z.boolean().default(false).describe('Serve plain HTTP, without certificates; on loopback only.'),
    insecureAnywhere: z
      .boolean()
      .default(false)
      .describe('Allow callers that prove nothing on addresses other than loopback, too.'),
    pluginDir: z.string().optional().describe('Directory of further plugins: ES modules or packages.'),
    plugins: z
      .array(plugin)
      .min(1)
      .default([{ name: 'NodeResourcesFit', weight: 1, args: {} }])
      .describe('Plugins that filter and score, in this order.'),
    refuseUnsupported: z
      .boolean()
      .default(false)
      .describe(
        'Refuse pods with constraints that no plugin here implements, such as volumes. kube-scheduler checks those itself, so that only other callers need it.',
      ),
    secondLookMs: z
      .int()
      .min(0)
      .max(1_000)
      .default(50)
      .describe(
        'How long an answer that leaves no node is held back, in milliseconds, in case that a pod leaves meanwhile: kube-scheduler may have heard of it before the extender. 0: not at all.',
      ),
    kubeApiQps: z.number().positive().default(50).describe('Calls a second to the API server, on average.'),
    kubeApiBurst: z.int().positive().default(100).describe('Calls that may be made at once above it.'),
    maxViewAgeSeconds: z
      .number()
      .positive()
      .default(120)
      .describe('Every pod is refused while the last word of the API server is older than this.'),
  }),
  flags: {
    kubeconfig: { placeholder: 'FILE' },
    listen: { placeholder: 'HOST:PORT' },
    tlsCertFile: { placeholder: 'FILE' },
    tlsPrivateKeyFile: { placeholder: 'FILE' },
    clientCaFile: { placeholder: 'FILE' },
    pluginDir: { placeholder: 'DIR' },
  },
  examples: [
    {
      command: 'extender --tls-cert-file tls.crt --tls-private-key-file tls.key --client-ca-file ca.crt',
      description: 'Serve https://127.0.0.1:8888 to callers whose certificate ca.crt signed.',
    },
    {
      command: 'extender --insecure-http --config extender.yaml',
      description: 'Serve plain HTTP on loopback, with the plugins that the file lists.',
    },
  ],
})

/** The effective configuration. */
export type Config = ConfigOf<typeof configDefinition>
