import { hostFiles, matchesAny } from '@berth/device-discovery'
import { defineResourceSource, type ResourceSourcePlugin } from '@berth/plugin-api'
import { z } from 'zod'
import { hostRoot, namePatterns } from '../host-args.ts'
import { lowestDevices } from '../lowest-devices.ts'
import { MAX_MEGABITS, readInterfaces, type NetworkInterface } from './read-interfaces.ts'

/** Arguments of nic-bandwidth. */
export interface NicBandwidthArgs {
  readonly interfaces?: readonly string[] | undefined
  readonly unit: 'megabit' | 'gigabit'
  readonly unknownMegabits?: number | undefined
  readonly hostRoot: string
}

const MEGABITS: Readonly<Record<NicBandwidthArgs['unit'], number>> = { megabit: 1, gigabit: 1_000 }

const argsSchema: z.ZodType<NicBandwidthArgs> = z.strictObject({
  interfaces: namePatterns
    .optional()
    .describe(
      'Names of the interfaces that count, also virtual ones. * and ? are wildcards. Default: bonds, and the hardware that is in no bond.',
    ),
  unit: z.enum(['megabit', 'gigabit']).default('megabit').describe('One unit of the resource, per second.'),
  unknownMegabits: z
    .int()
    .min(1)
    .max(MAX_MEGABITS)
    .optional()
    .describe(
      'Speed of an interface that is up and does not tell its speed, as in many virtual machines, in megabits per second. Default: the query fails and names the interface.',
    ),
  hostRoot,
})

/** Sums the speeds of the network interfaces of the node that are up. */
export const nicBandwidth: ResourceSourcePlugin<NicBandwidthArgs> = defineResourceSource({
  apiVersion: 'berth.dev/v1',
  name: 'nic-bandwidth',
  description: 'Sums the speeds of the network interfaces of the node that are up.',
  readsHost: true,
  argsSchema,
  create(args, { clock }) {
    const host = hostFiles(args.hostRoot)
    return {
      async compute(_, signal) {
        signal.throwIfAborted()
        const counted = selectInterfaces(await readInterfaces(host), args)
        if (counted.length === 0) {
          const what = args.interfaces === undefined ? 'hardware' : args.interfaces.join(', ')
          throw new Error(`${host.locate('/sys/class/net')} has no network interface that counts: ${what}`)
        }
        const megabits = counted.map((each) => megabitsOf(each, args)).reduce((sum, each) => sum + each, 0)
        return { units: megabits / MEGABITS[args.unit], observedAtMs: clock.now() }
      },
    }
  },
})

function selectInterfaces(
  all: readonly NetworkInterface[],
  { interfaces: patterns }: NicBandwidthArgs,
): readonly NetworkInterface[] {
  const isWanted = ({ name, isHardware, isBond }: NetworkInterface): boolean =>
    patterns === undefined ? isHardware || isBond : matchesAny(name, patterns)
  const wanted = all.filter((each) => isWanted(each) && !each.isVirtualFunction)
  const names = new Set(wanted.map(({ name }) => name))
  // The kernel computes the speed of a bond from its mode: the sum of the members, or that of the active one.
  const withoutMembers = wanted.filter(({ bond }) => bond === undefined || !names.has(bond))
  return lowestDevices(withoutMembers, all)
}

function megabitsOf(
  { name, isUp, megabitsPerSecond }: NetworkInterface,
  { unknownMegabits }: NicBandwidthArgs,
): number {
  if (!isUp) return 0
  const known = megabitsPerSecond ?? unknownMegabits
  if (known === undefined) throw new Error(`${name} is up and does not tell its speed: set unknownMegabits`)
  return known
}
