import { absolutePath, type ScanArgs, scanArgs } from '@berth/device-discovery'
import { z } from 'zod'

/** Arguments of nvidia-gpu. */
export interface NvidiaGpuArgs extends ScanArgs {
  readonly kind: string
  readonly specDirectories: readonly string[]
  readonly select: 'gpu' | 'mig' | 'all'
}

/** Schema of the arguments. */
export const argsSchema: z.ZodType<NvidiaGpuArgs> = z.strictObject({
  kind: z
    .string()
    .regex(/^[a-zA-Z0-9.-]+\/[\w.-]+$/, 'expected VENDOR/CLASS, such as "nvidia.com/gpu"')
    .default('nvidia.com/gpu')
    .describe('CDI kind of the devices: the vendor and the class before the equals sign of a CDI name.'),
  specDirectories: z
    .array(absolutePath)
    .min(1)
    .max(10)
    .default(['/etc/cdi', '/var/run/cdi'])
    .describe('Directories with CDI files, in the order of the container runtime: a later one takes precedence.'),
  select: z
    .enum(['gpu', 'mig', 'all'])
    .default('gpu')
    .describe('gpu: whole GPUs. mig: MIG devices, which are parts of a GPU. all: both.'),
  ...scanArgs,
})
