import { resourceName } from '@berth/plugin-api'
import { z } from 'zod'

const resource = z.strictObject({
  name: resourceName.describe('Name of the resource, such as example.com/dongle or cpu.'),
  mode: z
    .enum(['pack', 'spread'])
    .default('pack')
    .describe('pack fills nodes that are used already; spread prefers the nodes that are used least.'),
  weight: z.int().min(1).max(100).default(1).describe('Share of this resource in the score.'),
})

/** Arguments of pack-or-spread. */
export const argsSchema: z.ZodType<PackOrSpreadArgs> = z.strictObject({
  resources: z
    .array(resource)
    .min(1)
    .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'a resource is listed twice')
    .describe('The resources that the score considers, if the pod requests them.'),
})

/** A resource with how its use is rated. */
export interface RatedResource {
  readonly name: string
  readonly mode: 'pack' | 'spread'
  readonly weight: number
}

/** Arguments of pack-or-spread, defaults filled in. */
export interface PackOrSpreadArgs {
  readonly resources: readonly RatedResource[]
}
