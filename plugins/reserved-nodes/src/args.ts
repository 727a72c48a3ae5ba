import { extendedResourceName } from '@berth/plugin-api'
import { z } from 'zod'

/** Arguments of reserved-nodes. */
export interface ReservedNodesArgs {
  readonly resources: readonly string[]
  readonly mode: 'score' | 'filter'
  readonly exemptNamespaces: readonly string[]
}

/** Schema of the arguments. */
export const argsSchema: z.ZodType<ReservedNodesArgs> = z.strictObject({
  resources: z
    .array(extendedResourceName)
    .min(1)
    .describe('Resources whose nodes are reserved. A node is reserved if it offers one of them.'),
  mode: z
    .enum(['score', 'filter'])
    .default('score')
    .describe('score places other pods there only if no other node fits equally well; filter never does.'),
  exemptNamespaces: z
    .array(z.string().min(1))
    .default(['kube-system'])
    .describe('Namespaces whose pods may use reserved nodes. Pods of DaemonSets always may.'),
})
