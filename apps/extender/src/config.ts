import { defineConfig, isHostPort, type ConfigOf } from '@berth/process/config'
import { extenderPlugin } from '@berth/scheduler-config'
import { namespacedName } from '@berth/plugin-api'
import { z } from 'zod'

/** Flags, environment variables, file keys, help and documentation of the extender. */
export const configDefinition = defineConfig({
  name: 'extender',
  summary:
    'A webhook for kube-scheduler that filters and scores nodes, reviews preemption and binds pods, with the configured plugins.',
  healthAddress: '0.0.0.0:9403',
  schema: z.strictObject({
    kubeconfig: z.string().optional().describe('Kubeconfig file. Default: KUBECONFIG, ~/.kube/config, or in-cluster.'),
    listen: z
      .string()
      .refine(isHostPort, 'expected HOST:PORT')
      .default('127.0.0.1:8888')
      .describe('Listen address for kube-scheduler, as HOST:PORT. Port 0 selects a free port.'),
    tlsCertFile: z.string().optional().describe('Server certificate (PEM). Reloaded when it changes.'),
    tlsPrivateKeyFile: z.string().optional().describe('Private key of the server certificate (PEM).'),
    clientCaFile: z
      .string()
      .optional()
      .describe('CA bundle (PEM) for client certificates. Callers without a certificate from this CA are rejected.'),
    allowedClientNames: z
      .array(z.string().min(1))
      .min(1)
      .default(['kube-scheduler', 'system:kube-scheduler'])
      .describe(
        'Names in client certificates, as common name or DNS name, that may call the extender. Certificates of clientCaFile with other names are refused.',
      ),
    maxConnections: z
      .int()
      .min(1)
      .max(100_000)
      .default(1_000)
      .describe('Maximum number of open connections with a complete TLS handshake; of plain HTTP, with a request.'),
    maxConnectionAgeSeconds: z
      .number()
      .positive()
      .max(86_400)
      .default(300)
      .describe(
        'Maximum age of a connection over TLS, in seconds. Then the caller opens another one, with its current certificate; calls in flight are finished.',
      ),
    maxRequestMiB: z
      .int()
      .min(1)
      .max(512)
      .default(16)
      .describe(
        'Maximum size of one request, in MiB. The requests in flight on one connection may add up to twice this size, and those on all connections to four times. Whole nodes instead of node names need about 20 KiB for each node.',
      ),
    maxNodesPerRequest: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(20_000)
      .describe('Maximum number of nodes in one request.'),
    insecureHttp: z.boolean().default(false).describe('Serve plain HTTP without certificates. Only on loopback.'),
    insecureAnywhere: z
      .boolean()
      .default(false)
      .describe('Allow unauthenticated callers on addresses other than loopback. Not with bind.'),
    pluginDir: z.string().optional().describe('Directory with scheduling plugins: ES modules or packages.'),
    plugins: z
      .array(extenderPlugin)
      .min(1)
      .default([{ name: 'NodeResourcesFit', weight: 1, args: {} }])
      .describe('Plugins that filter and score nodes, in this order.'),
    refuseUnsupported: z
      .boolean()
      .default(false)
      .describe(
        'Refuse pods with constraints that no configured plugin implements, such as volumes. kube-scheduler checks these itself, so only other callers need this.',
      ),
    secondLookMs: z
      .int()
      .min(0)
      .max(1_000)
      .default(50)
      .describe(
        'Maximum delay of a response without a feasible node, in milliseconds, while the cluster state may still change. kube-scheduler may see that a pod was deleted before the extender does. All delays together take at most 2 % of the time. 0 disables the delay.',
      ),
    retrySignal: namespacedName
      .optional()
      .describe(
        'CSIStorageCapacity object, as NAMESPACE/NAME, that the extender changes when a pod that it rejected fits after all, or when a ConfigMap changes that a plugin reads. kube-scheduler then retries rejected pods. The object must exist. Without it, such a pod waits until the next change in the cluster or for up to 5 min.',
      ),
    bind: z
      .boolean()
      .default(false)
      .describe(
        'Serve the bind verb. Set bindVerb in kube-scheduler, too. One replica binds at a time, the holder of the Lease.',
      ),
    bindLease: namespacedName
      .default('kube-system/berth-extender-bind')
      .describe('Lease of the replica that binds, as NAMESPACE/NAME.'),
    bindTimeoutMs: z
      .int()
      .min(100)
      .max(30_000)
      .default(1_500)
      .describe(
        'Time for the response to a bind call, in milliseconds. Must be shorter than httpTimeout of kube-scheduler.',
      ),
    ignoredResources: z
      .array(z.string().min(1))
      .default([])
      .describe(
        'Resources with ignoredByScheduler in kube-scheduler, which only the extender counts. Requires bind: without it, two pods could get the last unit. Priority cannot preempt pods for such a resource.',
      ),
    record: z
      .string()
      .optional()
      .describe(
        'File to which each verdict on a filter, prioritize, preempt or bind call and the state of the cluster are recorded, for kubectl berth replay. It holds the ConfigMaps that plugins read, and no annotations, environment, commands, images and volumes. It is replaced at start.',
      ),
    recordMaxMiB: z
      .int()
      .min(1)
      .max(1_024)
      .default(100)
      .describe('Maximum size of the recording, in MiB. Recording stops there.'),
    kubeApiQps: z.number().positive().default(50).describe('Average requests per second to the API server.'),
    kubeApiBurst: z.int().positive().default(100).describe('Burst of requests above that rate.'),
    maxViewAgeSeconds: z
      .number()
      .positive()
      .default(120)
      .describe('Refuse all pods when the cached cluster state is older than this, in seconds.'),
  }),
  flags: {
    kubeconfig: { placeholder: 'FILE' },
    listen: { placeholder: 'HOST:PORT' },
    tlsCertFile: { placeholder: 'FILE' },
    tlsPrivateKeyFile: { placeholder: 'FILE' },
    clientCaFile: { placeholder: 'FILE' },
    allowedClientNames: { placeholder: 'NAME' },
    pluginDir: { placeholder: 'DIR' },
    bindLease: { placeholder: 'NAMESPACE/NAME' },
    retrySignal: { placeholder: 'NAMESPACE/NAME' },
    record: { placeholder: 'FILE' },
  },
  examples: [
    {
      command: 'extender --tls-cert-file tls.crt --tls-private-key-file tls.key --client-ca-file ca.crt',
      description: 'Serve https://127.0.0.1:8888 to callers with a certificate signed by ca.crt.',
    },
    {
      command: 'extender --insecure-http --config extender.yaml',
      description: 'Serve plain HTTP on loopback, with the plugins in the file.',
    },
  ],
})

/** The effective configuration. */
export type Config = ConfigOf<typeof configDefinition>
