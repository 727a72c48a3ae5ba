/** Named slots: licence seats, channels, or unequal parts of one device. */
import {
  createScanningSource,
  hostFiles,
  type HostFiles,
  type InspectedNode,
  inspectNode,
  nodesOnce,
  type StatNode,
} from '@berth/device-discovery'
import { type Device, defineDeviceSource, type DeviceSourcePlugin } from '@berth/plugin-api'
import { type NamedSlotsArgs, argsSchema, type Slot, type SlotNode } from './args.ts'

/** A slot and what a container gets with it. */
interface SlotDevice extends Device {
  readonly env: Readonly<Record<string, string>>
  readonly nodes: readonly { readonly hostPath: string; readonly containerPath: string; readonly permissions: string }[]
}

/** Creates the source {@link plugin}. @param statNode - Replaced by tests, which cannot create device nodes. */
export function createNamedSlots(statNode?: StatNode): DeviceSourcePlugin<NamedSlotsArgs> {
  return defineDeviceSource({
    apiVersion: 'berth.dev/v1',
    name: 'named-slots',
    description: 'Named slots, such as licence seats or unequal parts of one device, each with its own environment.',
    argsSchema,
    create(args, env) {
      const host = hostFiles(args.hostRoot)
      return createScanningSource<SlotDevice>(
        {
          scan: async () => ({ devices: await slotDevices(args, host, statNode) }),
          watchedDirectories: () => parentDirectories(args).map((directory) => host.locate(directory)),
          rescanSeconds: args.rescanSeconds,
          allocate: (devices) => ({
            env: joinedEnv([...devices.map((device) => device.env), args.env]),
            deviceNodes: nodesOnce(devices),
          }),
        },
        env,
      )
    },
  })
}

/** Offers the slots that the configuration names. */
export const plugin: DeviceSourcePlugin<NamedSlotsArgs> = createNamedSlots()

async function slotDevices(
  args: NamedSlotsArgs,
  host: HostFiles,
  statNode: StatNode | undefined,
): Promise<readonly SlotDevice[]> {
  const nodesOf = (slot: Slot): readonly SlotNode[] => [...slot.deviceNodes, ...args.deviceNodes]
  const paths = new Set(args.slots.flatMap((slot) => nodesOf(slot).map(({ path }) => path)))
  // Many slots may share a node.
  const inspected = new Map<string, InspectedNode>()
  await Promise.all([...paths].map(async (path) => inspected.set(path, await inspectNode(path, { host, statNode }))))
  return args.slots.map((slot) => {
    const wanted = nodesOf(slot)
    const found = wanted.flatMap(({ path }) => inspected.get(path) ?? [])
    const reason = found.find(({ problem }) => problem !== undefined)?.problem
    const numaNodes = [...new Set(found.flatMap((node) => node.numaNodes))].toSorted((a, b) => a - b)
    return {
      id: slot.name,
      ...(reason === undefined ? ({ health: 'Healthy' } as const) : ({ health: 'Unhealthy', reason } as const)),
      env: slot.env,
      nodes: wanted.map(({ path, containerPath = path, permissions }) => ({
        hostPath: inspected.get(path)?.hostPath ?? path,
        containerPath,
        permissions,
      })),
      paths: wanted.map(({ path }) => path),
      ...(numaNodes.length > 0 && { numaNodes }),
    }
  })
}

/** Joins the values of a variable that several slots set with commas, each value once. */
function joinedEnv(all: readonly Readonly<Record<string, string>>[]): Readonly<Record<string, string>> {
  const values = new Map<string, Set<string>>()
  for (const [name, value] of all.flatMap((env) => Object.entries(env))) {
    values.set(name, (values.get(name) ?? new Set()).add(value))
  }
  return Object.fromEntries([...values].map(([name, each]) => [name, [...each].join(',')]))
}

function parentDirectories({ slots, deviceNodes }: NamedSlotsArgs): readonly string[] {
  const nodes = [...deviceNodes, ...slots.flatMap((slot) => slot.deviceNodes)]
  return [...new Set(nodes.map(({ path }) => path.slice(0, path.lastIndexOf('/')) || '/'))]
}
