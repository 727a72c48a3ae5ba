import { z } from 'zod'

/** Arguments of device-slices. */
export interface DeviceSlicesArgs {
  readonly resource: string
  readonly slicesPerDevice: number
  readonly annotation?: string | undefined
  readonly strategy: 'pack' | 'spread'
}

const qualifiedName = /^[a-z0-9.-]+\/[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/

/** Schema of the arguments. */
export const argsSchema: z.ZodType<DeviceSlicesArgs> = z.strictObject({
  resource: z
    .string()
    .regex(qualifiedName, 'expected an extended resource, such as berth.dev/gpu-slice')
    .describe('Extended resource whose units are slices.'),
  slicesPerDevice: z.int().min(1).max(1_000_000).describe('Number of slices of each device.'),
  annotation: z
    .string()
    .regex(qualifiedName, 'expected a name with a prefix, such as berth.dev/gpu-slice-device')
    .optional()
    .describe('Annotation of the pod that names its device. Default: the resource followed by -device.'),
  strategy: z
    .enum(['pack', 'spread'])
    .default('pack')
    .describe('pack fills one device before the next; spread takes the device with the most free slices.'),
})
