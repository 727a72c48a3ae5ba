import { type ScanArgs, scanArgs } from '@berth/device-discovery'
import { z } from 'zod'

/** Arguments of amd-gpu. */
export interface AmdGpuArgs extends ScanArgs {
  readonly partition?: string | undefined
}

/** Schema of the arguments. */
export const argsSchema: z.ZodType<AmdGpuArgs> = z.strictObject({
  partition: z
    .string()
    .regex(/^(?:none|[a-z]+_nps\d+)$/, 'expected COMPUTE_MEMORY such as "cpx_nps4", or "none"')
    .optional()
    .describe(
      'Offers only the devices of GPUs that are partitioned like this: compute and memory mode, such as cpx_nps4; none is a GPU without partition modes. Default: all devices, which must then be partitioned alike.',
    ),
  ...scanArgs,
})
