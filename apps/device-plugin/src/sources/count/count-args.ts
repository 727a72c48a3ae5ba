import { z } from 'zod'

/** Arguments of the source `count`. */
export const countArgs = z
  .strictObject({
    count: z.int().min(0).max(30_000).describe('Number of virtual devices.'),
    idPrefix: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,50}$/, 'expected at most 51 letters, digits, dots, dashes or underscores')
      .optional()
      .describe(
        'Prefix of the ids: PREFIX-0, PREFIX-1 and so on. Default: the part of the resource name after the slash.',
      ),
    healthFile: z
      .string()
      .min(1)
      .optional()
      .describe(
        'File that contains Healthy or Unhealthy for all devices. Any other content, or a missing file, means unhealthy.',
      ),
    rescanSeconds: z
      .number()
      .min(0.1)
      .max(3600)
      .default(5)
      .describe('Interval between two reads of the health file, in seconds. It is also read when it changes.'),
  })
  .describe('Arguments of count.')

/** Validated arguments of the source `count`. */
export type CountArgs = z.output<typeof countArgs>

/** Returns the prefix of the device ids. A change would rename the devices that running pods hold. */
export function idPrefixOf({ idPrefix }: Pick<CountArgs, 'idPrefix'>, resourceName: string): string {
  return idPrefix ?? resourceName.slice(resourceName.lastIndexOf('/') + 1).slice(0, 51)
}
