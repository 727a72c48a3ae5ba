import { extendedResourceName } from '@berth/plugin-api'
import { z } from 'zod'

/** Arguments of whole-nodes. */
export interface WholeNodesArgs {
  readonly resources: readonly string[]
}

/** Schema of the arguments. */
export const argsSchema: z.ZodType<WholeNodesArgs> = z.strictObject({
  resources: z
    .array(extendedResourceName)
    .min(1)
    .describe('Resources whose nodes are kept whole, such as example.com/dongle.'),
})
