import { z } from 'zod'
import { MAX_UNITS } from '../plan/declaration.ts'

const WHOLE_NUMBER = /^\d{1,19}$/

/** Schema of a number of units. Add `.describe(…)`. A refusal aborts, so that refinements that compare units see only numbers. */
export const unitsSchema: z.ZodType<number | string, number | string> = z
  .union([
    z.int().min(0),
    // YAML numbers above 2^53 lose digits; strings do not.
    z.string().meta({ pattern: WHOLE_NUMBER.source }),
  ])
  .refine((value) => WHOLE_NUMBER.test(String(value)), { error: 'expected a whole number', abort: true })
  .refine((value) => BigInt(value) <= MAX_UNITS, { error: 'expected at most 2^63-1', abort: true })
