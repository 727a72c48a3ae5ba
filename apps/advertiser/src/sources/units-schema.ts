import { z } from 'zod'
import { MAX_UNITS } from '../plan/declaration.ts'

/** Schema of a number of units. Add `.describe(…)`. */
export const unitsSchema: z.ZodType<number | string, number | string> = z
  .union([
    z.int().min(0),
    // YAML numbers above 2^53 lose digits; strings do not.
    z.string().regex(/^\d{1,19}$/, 'expected a whole number'),
  ])
  // A refinement also runs for a text that is not a number.
  .refine((value) => !/^\d+$/.test(String(value)) || BigInt(value) <= MAX_UNITS, 'expected at most 2^63-1')
