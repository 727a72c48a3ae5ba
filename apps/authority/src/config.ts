import { defineConfig, type ConfigOf } from '@berth/process/config'
import { namespacedName } from '@berth/plugin-api'
import { z } from 'zod'

const name = z.string().regex(/^[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$/, 'expected the name of an object')
const hours = z.number().positive().max(876_000)

/** Flags, environment variables, file keys, help and documentation of the authority. */
export const configDefinition = defineConfig({
  name: 'authority',
  summary:
    'Issues the certificates between kube-scheduler and the extender into Secrets, and renews them and its own authority in time.',
  healthAddress: '0.0.0.0:9405',
  schema: z.strictObject({
    kubeconfig: z.string().optional().describe('Kubeconfig file. Default: KUBECONFIG, ~/.kube/config, or in-cluster.'),
    namespace: name.default('berth-system').describe('Namespace of the Secrets.'),
    lease: namespacedName
      .default('berth-system/berth-authority')
      .describe('Lease, as NAMESPACE/NAME. Only its holder writes Secrets.'),
    ownerConfigMap: name
      .optional()
      .describe('ConfigMap that owns the Secrets, so that they are deleted with it. Default: none.'),
    authoritySecret: name
      .default('berth-authority-ca')
      .describe('Secret of the authority and its private key. No other program may read it.'),
    serverSecret: name.default('berth-authority-server').describe('Secret of the certificate of the extender.'),
    serverName: z.string().min(1).max(64).default('berth-extender').describe('Common name of the extender.'),
    serverNames: z
      .array(z.string().min(1))
      .default(['localhost'])
      .describe('DNS names for which the certificate of the extender is valid.'),
    serverAddresses: z
      .array(z.union([z.ipv4(), z.ipv6()]))
      .default(['127.0.0.1'])
      .describe('IP addresses for which the certificate of the extender is valid.'),
    clientSecret: name.default('berth-authority-client').describe('Secret of the certificate of kube-scheduler.'),
    clientName: z
      .string()
      .min(1)
      .max(64)
      .default('kube-scheduler')
      .describe('Common name of kube-scheduler. It must be in allowedClientNames of the extender.'),
    clientUsesHostFiles: z
      .boolean()
      .default(false)
      .describe(
        'kube-scheduler reads its certificate from files of its host, into which an operator copies the Secret.',
      ),
    authorityLifetimeHours: hours
      .default(8_760)
      .describe('Lifetime of an authority. The next one is published after two thirds.'),
    serverLifetimeHours: hours
      .default(720)
      .describe('Lifetime of the certificate of the extender. It is renewed after two thirds.'),
    clientLifetimeHours: hours
      .default(720)
      .describe('Lifetime of the certificate of kube-scheduler. It is renewed after two thirds.'),
    hostClientLifetimeHours: hours
      .default(2_160)
      .describe(
        'Lifetime of the certificate of kube-scheduler with clientUsesHostFiles, instead of clientLifetimeHours.',
      ),
    rollHours: hours
      .default(336)
      .describe(
        'Minimum time between the publication of the next authority and its first use, in which every kube-scheduler must be restarted.',
      ),
    schedulerPods: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Label selector of the pods with a container kube-scheduler. The next authority is used only after all of them were restarted. Default: none.',
      ),
    mountSeconds: z
      .number()
      .positive()
      .max(3_600)
      .default(120)
      .describe(
        'Time in which kubelets copy a changed Secret into the files of running pods, in seconds. A kube-scheduler that started earlier after the publication of the next authority must be restarted, too.',
      ),
    fromServerSecret: name
      .default('berth-extender-server')
      .describe('With adopt: the Secret to copy for the extender.'),
    fromClientSecret: name
      .default('berth-extender-client')
      .describe('With adopt: the Secret to copy for kube-scheduler.'),
    checkSeconds: z
      .number()
      .positive()
      .max(3_600)
      .default(60)
      .describe('Interval between two checks of the Secrets, in seconds.'),
  }),
  flags: {
    kubeconfig: { placeholder: 'FILE' },
    lease: { placeholder: 'NAMESPACE/NAME' },
  },
  positionals: [
    {
      name: 'command',
      description:
        'adopt copies certificates of another source into the Secrets of server and client, unless these exist, and exits. The authority keeps them in use until both sides trust its own.',
      choices: ['adopt'],
    },
  ],
  examples: [
    {
      command: 'authority --namespace berth-system',
      description: 'Keep the certificates of the extender in berth-system up to date.',
    },
    {
      command: 'authority adopt --namespace berth-system',
      description: 'Copy the certificates in berth-extender-server and berth-extender-client.',
    },
  ],
})

/** The effective configuration. */
export type Config = ConfigOf<typeof configDefinition>
