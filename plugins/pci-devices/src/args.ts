import { absolutePath, hexId, nodePermissions, scanArgs, type ScanArgs } from '@berth/device-discovery'
import { z } from 'zod'

/** Selects PCI functions. Every key that is given must match. */
export interface PciSelector {
  readonly vendor?: string | undefined
  readonly device?: string | undefined
  readonly class?: string | undefined
  readonly driver?: string | undefined
  readonly address?: string | undefined
  readonly attributes?: Readonly<Record<string, string>> | undefined
}

/** Arguments of pci. */
export interface PciArgs extends ScanArgs {
  readonly devices: readonly PciSelector[]
  readonly nodes: readonly string[]
  readonly permissions: string
}

/** Arguments of sysfs. */
export interface SysfsArgs extends ScanArgs {
  readonly directory: string
  readonly names?: readonly string[] | undefined
  readonly driver?: string | undefined
  readonly attributes: Readonly<Record<string, string>>
  readonly idAttribute?: string | undefined
  readonly nodes: readonly string[]
  readonly permissions: string
}

const pattern = z.string().min(1)
const attributes = z.record(
  z.string().regex(/^(?!\.)(?!.*\.\.)[\w.:/-]+$/, 'expected the name of a file below the device in sysfs'),
  z.string(),
)
const classNames = z.array(z.string().regex(/^[a-z0-9_-]+$/, 'expected a class of /sys/class')).max(20)

const selector = z
  .strictObject({
    vendor: hexId.optional().describe('Vendor id, in quotes: "10ee".'),
    device: hexId.optional().describe('Device id, in quotes: "5001".'),
    class: z
      .string()
      .regex(/^(?:0x)?(?:[0-9a-f]{2}){1,3}$/i, 'expected two, four or six hexadecimal digits')
      .optional()
      .describe('Start of the class code, in quotes: "12" is every accelerator, "0302" a 3D controller.'),
    driver: pattern
      .optional()
      .describe('Driver that the function is bound to, such as vfio-pci. * and ? are wildcards.'),
    address: pattern.optional().describe('Address with domain, such as "0000:3b:00.0". * and ? are wildcards.'),
    attributes: attributes
      .optional()
      .describe('Files of the function in sysfs and their text, such as { revision: "0x01" }. * and ? are wildcards.'),
  })
  .refine((keys) => Object.keys(keys).length > 0, 'expected vendor, device, class, driver, address or attributes')

/** Schema of the arguments of pci. */
export const pciArgs: z.ZodType<PciArgs> = z.strictObject({
  devices: z
    .array(selector)
    .min(1)
    .max(100)
    .describe('Functions to offer: those that match one entry. lspci -nn prints vendor, device and class.'),
  nodes: classNames
    .default([])
    .describe(
      'Classes of /sys/class whose device nodes the container gets: accel, drm, infiniband_verbs, nvme and so on.',
    ),
  permissions: nodePermissions,
  ...scanArgs,
})

/** Schema of the arguments of sysfs. */
export const sysfsArgs: z.ZodType<SysfsArgs> = z.strictObject({
  directory: absolutePath
    .regex(/^\/sys\/(?:class|bus)\/[^/]+(?:\/devices)?$/, 'expected /sys/class/CLASS or /sys/bus/BUS/devices')
    .describe('Directory of the devices: /sys/class/CLASS or /sys/bus/BUS/devices.'),
  names: z
    .array(pattern)
    .min(1)
    .max(100)
    .optional()
    .describe('Names in the directory. * and ? are wildcards. Default: all.'),
  driver: pattern.optional().describe('Driver of the device. * and ? are wildcards.'),
  attributes: attributes
    .default({})
    .describe('Files of the device in sysfs and their text. All must match. * and ? are wildcards.'),
  idAttribute: z
    .string()
    .regex(/^[\w.:-]+$/, 'expected the name of a file of the device in sysfs')
    .optional()
    .describe(
      'File of the device whose text identifies it, such as serial. Default: its name, which may change at a reboot.',
    ),
  nodes: classNames
    .default([])
    .describe(
      'Classes of /sys/class whose device nodes below the device the container gets, in addition to its own node.',
    ),
  permissions: nodePermissions,
  ...scanArgs,
})
