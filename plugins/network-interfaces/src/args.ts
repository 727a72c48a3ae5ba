import { hexId, scanArgs, type ScanArgs } from '@berth/device-discovery'
import { z } from 'zod'

/** Arguments of network. */
export interface NetworkArgs extends ScanArgs {
  readonly interfaces?: readonly string[] | undefined
  readonly virtualFunctionsOf?: readonly string[] | undefined
  readonly indexes?: { readonly first: number; readonly last: number } | undefined
  readonly vendor?: string | undefined
  readonly device?: string | undefined
  readonly driver?: string | undefined
  readonly requireCarrier: boolean
}

const names = z.array(z.string().min(1)).min(1).max(100)
const index = z.int().min(0).max(65_535)

/** Schema of the arguments. */
export const argsSchema: z.ZodType<NetworkArgs> = z
  .strictObject({
    interfaces: names.optional().describe('Names of interfaces to offer. * and ? are wildcards.'),
    virtualFunctionsOf: names
      .optional()
      .describe(
        'Names or PCI addresses of the physical functions whose SR-IOV virtual functions to offer. * and ? are wildcards.',
      ),
    indexes: z
      .strictObject({
        first: index.describe('First virtual function.'),
        last: index.describe('Last virtual function.'),
      })
      .optional()
      .describe(
        'Offers only these virtual functions of each physical function. They are numbered from 0. Default: all.',
      ),
    vendor: hexId.optional().describe('PCI vendor id, in quotes: "15b3". Default: any.'),
    device: hexId.optional().describe('PCI device id, in quotes: "1018". Default: any.'),
    driver: z
      .string()
      .min(1)
      .optional()
      .describe('Driver of the PCI function, such as vfio-pci. * and ? are wildcards. Default: any.'),
    requireCarrier: z
      .boolean()
      .default(false)
      .describe(
        'Treat an interface without a carrier as unhealthy; for a virtual function, that of its physical function.',
      ),
    ...scanArgs,
  })
  .superRefine(({ interfaces, virtualFunctionsOf, indexes }, context) => {
    const refuse = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message })
    if ((interfaces === undefined) === (virtualFunctionsOf === undefined)) {
      refuse('interfaces', 'expected either interfaces or virtualFunctionsOf')
    }
    if (indexes === undefined) return
    if (virtualFunctionsOf === undefined) refuse('indexes', 'expected virtualFunctionsOf beside it')
    if (indexes.first > indexes.last) refuse('indexes', 'expected first to be at most last')
  })
