import { z } from 'zod'
import type { SourceAmount } from '../plan/declaration.ts'
import { unitsSchema } from './units-schema.ts'

/** Schema of `source`: a plugin, and the options that every source has. */
export const sourceSchema = z
  .strictObject({
    plugin: z.string().min(1).describe('Name of a resource source plugin.'),
    args: z.unknown().optional().describe('Arguments of the plugin. See the README of the plugin.'),
    reading: z
      .enum(['total', 'free'])
      .default('total')
      .describe(
        'What the number of the source counts. total: all units of the node, as the scheduler expects. free: the units that are not in use; the units that running pods on the node request are added.',
      ),
    min: unitsSchema
      .optional()
      .describe(
        'Minimum units. A smaller or negative number is raised to it. Default: a negative number counts as a failed query.',
      ),
    max: unitsSchema.optional().describe('Maximum units. A larger number is lowered to it. Default: 2^63-1.'),
    step: unitsSchema
      .refine((value) => !/^0+$/.test(String(value)), { error: 'expected at least 1', abort: true })
      .default(1)
      .describe('The units are a multiple of it.'),
    rounding: z
      .enum(['down', 'up', 'nearest'])
      .default('down')
      .describe('How a number between two multiples of step is rounded. nearest rounds a half up.'),
    everySeconds: z
      .number()
      .min(1)
      .max(86_400)
      .default(30)
      .describe('Interval between two queries for one node, in seconds.'),
    timeoutSeconds: z
      .number()
      .min(0.1)
      .max(300)
      .default(10)
      .describe('Deadline of one query, in seconds. A query that takes longer fails.'),
    maxAgeSeconds: z
      .number()
      .min(1)
      .max(604_800)
      .default(300)
      .describe(
        'Maximum age of a value, in seconds. An older value is not written, and the node keeps its current amount.',
      ),
    keepSeconds: z
      .number()
      .min(1)
      .max(31_536_000)
      .optional()
      .describe(
        'How long a node keeps its amount after the last good value, in seconds. Then it offers min units, or 0. At least maxAgeSeconds. Default: until the source answers again.',
      ),
  })
  .superRefine(({ min, max, step, maxAgeSeconds, keepSeconds }, context) => {
    const refuse = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message })
    if (min !== undefined && max !== undefined && BigInt(min) > BigInt(max))
      refuse('min', `expected at most max, ${max}`)
    for (const [path, bound] of Object.entries({ min, max })) {
      if (bound !== undefined && BigInt(bound) % BigInt(step) !== 0n)
        refuse(path, `expected a multiple of step, ${step}`)
    }
    if (keepSeconds !== undefined && keepSeconds < maxAgeSeconds) {
      refuse('keepSeconds', `expected at least maxAgeSeconds, ${maxAgeSeconds}`)
    }
  })

/** A valid `source` of the configuration. */
export type SourceEntry = z.output<typeof sourceSchema>

/** Converts a `source` of the configuration to the amount of a declaration. */
export function toSourceAmount(entry: SourceEntry): SourceAmount {
  const { plugin, args, reading, min, max, step, rounding, everySeconds, timeoutSeconds } = entry
  const { maxAgeSeconds, keepSeconds } = entry
  return {
    kind: 'source',
    plugin,
    args,
    reading,
    shape: {
      ...(min !== undefined && { min: BigInt(min) }),
      ...(max !== undefined && { max: BigInt(max) }),
      step: BigInt(step),
      rounding,
    },
    everyMs: everySeconds * 1_000,
    timeoutMs: timeoutSeconds * 1_000,
    maxAgeMs: maxAgeSeconds * 1_000,
    ...(keepSeconds !== undefined && { keepMs: keepSeconds * 1_000 }),
  }
}
