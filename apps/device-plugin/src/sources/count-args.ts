import { z } from 'zod'

/** Arguments of the source `count`. */
export const countArgs = z
  .strictObject({
    count: z.int().min(0).max(30_000).describe('Number of virtual devices.'),
    idPrefix: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,50}$/, 'expected at most 51 letters, digits, dots, dashes or underscores')
      .optional()
      .describe('Ids are this, a dash and a number from 0; default: the name of the resource after its slash.'),
    healthFile: z
      .string()
      .min(1)
      .optional()
      .describe('File that says Healthy or Unhealthy for all of them; anything else, or no file, is unhealthy.'),
    rescanSeconds: z
      .number()
      .min(0.1)
      .max(3600)
      .default(5)
      .describe('How often the health file is read, besides at its changes, in seconds.'),
  })
  .describe('Arguments of count.')

/** Checked arguments of the source `count`. */
export type CountArgs = z.output<typeof countArgs>
