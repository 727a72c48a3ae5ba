import { extendedResourceName, qualifiedName } from '@berth/plugin-api'
import { z } from 'zod'

/** Arguments of device-slices. */
export interface DeviceSlicesArgs {
  readonly resource: string
  readonly slicesPerDevice: number
  readonly annotation?: string | undefined
  readonly strategy: 'pack' | 'spread'
}

/** Returns the annotation that names the device of a pod. */
export function annotationOf({ annotation, resource }: Pick<DeviceSlicesArgs, 'annotation' | 'resource'>): string {
  return annotation ?? `${resource}-device`
}

/** Schema of the arguments. */
export const argsSchema: z.ZodType<DeviceSlicesArgs> = z
  .strictObject({
    resource: extendedResourceName.describe('Extended resource whose units are slices.'),
    slicesPerDevice: z.int().min(1).max(1_000_000).describe('Number of slices of each device.'),
    annotation: qualifiedName
      .refine((name) => name.includes('/'), 'expected a name with a prefix, such as berth.dev/gpu-slice-device')
      .optional()
      .describe('Annotation of the pod that names its device. Default: the resource followed by -device.'),
    strategy: z
      .enum(['pack', 'spread'])
      .default('pack')
      .describe('pack fills one device before the next; spread takes the device with the most free slices.'),
  })
  .refine((args) => qualifiedName.safeParse(annotationOf(args)).success, {
    message: 'set it: the default, the resource followed by -device, is too long for an annotation',
    path: ['annotation'],
  })
