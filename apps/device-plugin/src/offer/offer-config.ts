import { z } from 'zod'

const patterns = z.array(z.string().min(1).max(4096)).max(100)

/** Keys of a resource that decide which devices of its source it offers, and how often. */
export const offerConfig = {
  include: patterns
    .min(1)
    .optional()
    .describe(
      'Offers only the devices whose id or one of whose host paths matches one of these patterns. * stands for any text and ? for one character. Default: all.',
    ),
  exclude: patterns
    .default([])
    .describe('Does not offer the devices whose id or one of whose host paths matches one of these patterns.'),
  replicas: z
    .int()
    .min(1)
    .max(1000)
    .default(1)
    .describe(
      'How often each device is offered: as many containers may use it at the same time. The ids of the replicas are ID::0, ID::1 and so on.',
    ),
}

/** Validated values of {@link offerConfig}. */
export interface OfferConfig {
  readonly include?: readonly string[] | undefined
  readonly exclude: readonly string[]
  readonly replicas: number
}

/** Returns whether a resource offers only a part of its source's devices. */
export function isSelective({ include, exclude = [] }: Partial<OfferConfig>): boolean {
  return include !== undefined || exclude.length > 0
}
