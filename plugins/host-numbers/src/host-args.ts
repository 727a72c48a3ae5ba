import { absolutePath } from '@berth/device-discovery'
import { z } from 'zod'

/** Key of the arguments of every source that reads the host. */
export const hostRoot: z.ZodDefault<z.ZodString> = absolutePath
  .default('/host')
  .describe('Directory in which the root of the node is mounted in the container of the advertiser.')

/** Schema of names of devices in arguments. */
export const namePatterns: z.ZodArray<z.ZodString> = z.array(z.string().min(1).max(256)).min(1).max(100)
