import { healthOfNodes, type HostFiles, MAX_ID_LENGTH, deviceId } from '@berth/device-discovery'
import type { Device } from '@berth/plugin-api'
import type { NvidiaGpuArgs } from './args.ts'
import { type CdiDevice, readCdiDevices } from './cdi-spec.ts'
import { gpuNodesOf, numaByGpuNode } from './numa-of-gpu.ts'

/** A GPU or a MIG device that a CDI file describes. */
export interface NvidiaGpu extends Device {
  /** Fully qualified CDI name. */
  readonly cdiName: string
}

/** Result of a scan. */
export interface NvidiaScan {
  readonly devices: readonly NvidiaGpu[]
  /** Why devices may be missing. */
  readonly failure?: Error
}

/** Returns the devices that CDI files describe, sorted by id. Of several names for one device, the one with the UUID counts. */
export async function scanCdi(args: NvidiaGpuArgs, host: HostFiles): Promise<NvidiaScan> {
  const { devices, problems } = await readCdiDevices(args.kind, args.specDirectories, host)
  const single = devices.filter(({ nodes }) => gpuNodesOf(nodes).length === 1 || nodes.length === 0)
  // nvidia-ctk describes all GPUs together as "all", and each GPU under its number and its UUID.
  const byNodes = Map.groupBy(
    single.filter(({ name }) => name !== 'all'),
    ({ name, nodes }) => (nodes.length === 0 ? name : nodes.join(' ')),
  )
  const numa = await numaByGpuNode(host)
  const found = await Promise.all(
    [...byNodes.values()]
      .map((aliases) => preferred(aliases))
      .filter(({ name }) => args.select === 'all' || isMig(name) === (args.select === 'mig'))
      .map(async ({ name, nodes, problem }): Promise<NvidiaGpu> => {
        const numaNodes = gpuNodesOf(nodes).flatMap((node) => numa.get(node) ?? [])
        const status =
          problem === undefined ? await healthOfNodes(nodes, host) : ({ health: 'Unhealthy', reason: problem } as const)
        return {
          id: name.length <= MAX_ID_LENGTH ? name : deviceId(`/${name}`),
          ...status,
          cdiName: `${args.kind}=${name}`,
          paths: [...gpuNodesOf(nodes), ...nodes.filter((node) => !gpuNodesOf([node]).includes(node))],
          ...(numaNodes.length > 0 && { numaNodes }),
        }
      }),
  )
  const sorted = found.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return problems.length === 0 ? { devices: sorted } : { devices: sorted, failure: new Error(problems.join('; ')) }
}

/** The name of a device must not change when the driver numbers the GPUs in another order. */
function preferred(aliases: readonly CdiDevice[]): CdiDevice {
  const [first, ...others] = aliases as readonly [CdiDevice, ...CdiDevice[]]
  const isBetter = (one: CdiDevice, other: CdiDevice): boolean => {
    if (hasUuid(one.name) !== hasUuid(other.name)) return hasUuid(one.name)
    return one.name.length < other.name.length || (one.name.length === other.name.length && one.name < other.name)
  }
  return others.reduce((best, other) => (isBetter(other, best) ? other : best), first)
}

function hasUuid(name: string): boolean {
  return /^(?:GPU|MIG)-/.test(name)
}

/** nvidia-ctk names a MIG device by its UUID, or by the numbers of the GPU and the device: `0:1`, `mig0:1`. */
function isMig(name: string): boolean {
  return name.startsWith('MIG-') || /^(?:mig)?\d+:\d+$/.test(name)
}
