import type { ExtendedResourceStatus } from '@berth/types'
import { z } from 'zod'

/** Maximum number of conflicts that a status lists. `conflictCount` counts all. */
export const MAX_CONFLICTS = 10
/** Maximum length of the messages in a status. */
export const MAX_MESSAGE_LENGTH = 1_024

const count = (description: string): z.ZodType<number> =>
  z.int().min(0).describe(description).meta({ format: 'int32', maximum: 2_147_483_647 })
const message = (): z.ZodString => z.string().max(MAX_MESSAGE_LENGTH)

/** Schema of `status`. The definition in the chart is generated from it. */
export const statusSchema = z
  .strictObject({
    observedGeneration: z
      .int()
      .min(0)
      .describe('The metadata.generation that this status is about.')
      .meta({ format: 'int64' }),
    nodesMatched: count('Number of nodes that the object selects.'),
    nodesAdvertised: count('Number of these nodes that offer the resource as this object declares it.'),
    conflictCount: count('Number of nodes that do not offer the resource as declared.'),
    conflicts: z
      .array(
        z.strictObject({
          node: z.string().max(253).describe('Name of the node.'),
          reason: z.string().max(63).describe('Reason in one word.'),
          message: message().describe('Reason in a sentence.'),
        }),
      )
      .max(MAX_CONFLICTS)
      .optional()
      .describe(`The first ${MAX_CONFLICTS} of these nodes, by name.`)
      .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['node'] }),
    lastError: message().optional().describe('The latest failure to write a node; absent after a success.'),
    conditions: z
      .array(
        z.strictObject({
          type: z.string().max(63).describe('Advertised, Held, NotAllowed, Invalid, Overridden or Failed.'),
          status: z.enum(['True', 'False', 'Unknown']).describe('Status of the condition.'),
          observedGeneration: z
            .int()
            .min(0)
            .optional()
            .describe('The metadata.generation of the condition.')
            .meta({ format: 'int64' }),
          lastTransitionTime: z
            .string()
            .max(64)
            .describe('Time of the last change of the status.')
            .meta({ format: 'date-time' }),
          reason: z.string().max(63).describe('Reason in one word.'),
          message: message().describe('Reason in a sentence.'),
        }),
      )
      .max(8)
      .optional()
      .describe(
        'Advertised says whether every selected node offers the resource. Held: running pods hold units that are withdrawn when they end. NotAllowed: an administrator has not allowed the name or the source. Invalid: the object cannot be read. Overridden: another declaration applies on some nodes. Failed: some nodes could not be written.',
      )
      .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] }),
  })
  .describe('What the advertiser did. Only the advertiser writes it.') satisfies z.ZodType<ExtendedResourceStatus>
