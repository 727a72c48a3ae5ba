import { extendedResourceName } from '@berth/plugin-api'
import { z } from 'zod'
import { OWNER_PATTERN } from '../plan/owner.ts'

/** The key `eviction` of the configuration, which only the command `evict` reads. */
export const evictionSchema = z.strictObject({
  resources: z
    .array(extendedResourceName)
    .max(1_000)
    .default([])
    .describe('Resources of device plugins. Pods are evicted only for devices of these.'),
  afterSeconds: z
    .int()
    .min(1)
    .max(86_400)
    .default(300)
    .describe('How long a device must be Unhealthy without a break before its pod is evicted, in seconds.'),
  maxPerMinute: z
    .number()
    .positive()
    .max(600)
    .default(6)
    .describe('Maximum number of evictions per minute. They are evenly spaced.'),
  maxUnhealthyPercent: z
    .number()
    .min(0)
    .max(100)
    .default(50)
    .describe(
      'Evictions for a resource pause while more than two nodes, and more than this share of the nodes whose pods hold its devices, have an Unhealthy one: then its device plugin is likely to fail, and no healthy device is left elsewhere. 100 never pauses.',
    ),
  dryRun: z
    .boolean()
    .default(false)
    .describe('Report which pods would be evicted, and whether a PodDisruptionBudget forbids it. Evicts none.'),
  lease: z
    .string()
    .regex(OWNER_PATTERN, 'expected NAMESPACE/NAME')
    .default('kube-system/berth-eviction')
    .describe('Lease, as NAMESPACE/NAME. Only its holder evicts pods.'),
})
