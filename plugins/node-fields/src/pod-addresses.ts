import { isIPv4, isIPv6 } from 'node:net'
import { defineResourceSource, type ResourceSourcePlugin } from '@berth/plugin-api'
import { z } from 'zod'

/** Arguments of pod-addresses. */
export interface PodAddressesArgs {
  readonly family: 'ipv4' | 'ipv6'
  readonly reserved: number
}

const argsSchema: z.ZodType<PodAddressesArgs> = z.strictObject({
  family: z
    .enum(['ipv4', 'ipv6'])
    .default('ipv4')
    .describe('Which range of the node counts. A node with two ranges has one of each.'),
  reserved: z
    .int()
    .min(0)
    .max(1_000_000)
    .default(3)
    .describe(
      'Addresses of the range that no pod gets. Default: the network, the gateway and the broadcast address, as the CNI plugin host-local leaves them out.',
    ),
})

/** Counts the addresses in the range that the node has for its pods (`spec.podCIDRs`). */
export const podAddresses: ResourceSourcePlugin<PodAddressesArgs> = defineResourceSource({
  apiVersion: 'berth.dev/v1',
  name: 'pod-addresses',
  description: 'Counts the addresses of the range for pods that the node has, without the reserved ones.',
  argsSchema,
  create: ({ family, reserved }, { clock }) => ({
    async compute({ metadata: { name = '' }, spec = {} }, signal) {
      signal.throwIfAborted()
      const ranges = spec.podCIDRs ?? (spec.podCIDR === undefined ? [] : [spec.podCIDR])
      const size = ranges.map((range) => addressesIn(range, family)).find((found) => found !== undefined)
      if (size === undefined) {
        throw new Error(`node ${name} has no ${family} range for pods: spec.podCIDRs is [${ranges.join(', ')}]`)
      }
      const units = size - BigInt(reserved)
      return { units: units > 0n ? units : 0n, observedAtMs: clock.now() }
    },
  }),
})

/** Returns the number of addresses in a range such as 10.1.0.0/24; undefined if it is not a range of this family. */
function addressesIn(range: string, family: PodAddressesArgs['family']): bigint | undefined {
  const [, address = '', prefix = ''] = /^([^/]+)\/(\d{1,3})$/.exec(range) ?? []
  const bits = family === 'ipv4' ? 32 : 128
  const isFamily = family === 'ipv4' ? isIPv4(address) : isIPv6(address)
  return isFamily && Number(prefix) <= bits ? 1n << BigInt(bits - Number(prefix)) : undefined
}
