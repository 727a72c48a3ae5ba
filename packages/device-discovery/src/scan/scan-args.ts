import { z } from 'zod'

/** Arguments of every source that looks for hardware. */
export interface ScanArgs {
  readonly hostRoot: string
  readonly rescanSeconds: number
}

/** Schema of an absolute path. */
export const absolutePath: z.ZodString = z.string().regex(/^\//, 'expected an absolute path').max(4096)

/** Schema of a vendor, device or product id. */
export const hexId: z.ZodString = z
  .string()
  .regex(/^(?:0x)?[0-9a-f]{1,4}$/i, 'expected a hexadecimal number of four digits in quotes, such as "10ee"')

/** Schema of the permissions of a device node. */
export const nodePermissions: z.ZodDefault<z.ZodString> = z
  .string()
  .regex(/^(?!.*(.).*\1)[rwm]{1,3}$/, 'expected a combination of r, w and m')
  .default('rw')
  .describe('Access of containers to the device nodes: a combination of r (read), w (write) and m (mknod).')

/** Keys of {@link ScanArgs} for a strict object schema. */
export const scanArgs: {
  readonly hostRoot: z.ZodDefault<z.ZodString>
  readonly rescanSeconds: z.ZodDefault<z.ZodNumber>
} = {
  hostRoot: absolutePath
    .default('/')
    .describe(
      'Directory in which the root of the node is mounted in the container. /sys and /dev are read below it; containers get the paths of the node.',
    ),
  rescanSeconds: z
    .number()
    .min(0.1)
    .max(3600)
    .default(5)
    .describe(
      'Interval between two scans of sysfs, in seconds. A change of the directories in /dev also starts a scan.',
    ),
}
