import { hexId, nodePermissions, scanArgs, type ScanArgs } from '@berth/device-discovery'
import { z } from 'zod'

/** Selects USB devices. Every key that is given must match. */
export interface UsbSelector {
  readonly vendor?: string | undefined
  readonly product?: string | undefined
  readonly serial?: string | undefined
  readonly port?: string | undefined
}

/** Arguments of usb. */
export interface UsbArgs extends ScanArgs {
  readonly devices: readonly UsbSelector[]
  readonly nodes: readonly string[]
  readonly identifyBy: 'serial' | 'port'
  readonly permissions: string
}

const selector = z
  .strictObject({
    vendor: hexId.optional().describe('Vendor id, in quotes: "0403".'),
    product: hexId.optional().describe('Product id, in quotes: "6001".'),
    serial: z.string().min(1).optional().describe('Serial number, with the wildcards * and ?.'),
    port: z
      .string()
      .min(1)
      .optional()
      .describe('Port, with the wildcards * and ?: 1-2.4 is port 4 of a hub at port 2.'),
  })
  .refine((keys) => Object.keys(keys).length > 0, 'expected vendor, product, serial or port')

/** Schema of the arguments. */
export const argsSchema: z.ZodType<UsbArgs> = z.strictObject({
  devices: z
    .array(selector)
    .min(1)
    .max(100)
    .describe('Devices to offer: those that match one entry. lsusb prints vendor and product.'),
  nodes: z
    .array(z.string().regex(/^[a-z0-9_-]+$/, 'expected a class of /sys/class'))
    .max(20)
    .default([])
    .describe(
      'Classes of /sys/class whose device nodes the container gets instead of /dev/bus/usb: tty, video4linux, hidraw, sound and so on.',
    ),
  identifyBy: z
    .enum(['serial', 'port'])
    .default('serial')
    .describe(
      'serial: the id follows the device to another port; a device without a serial number is identified by its port. port: the id stays with the port.',
    ),
  permissions: nodePermissions,
  ...scanArgs,
})
