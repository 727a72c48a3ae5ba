import { dirname, join } from 'node:path'
import {
  type ClassDevice,
  classDevices,
  driverOf,
  healthOfNodes,
  type HostFiles,
  type NodeHealth,
  numaNodesAbove,
  PCI_DEVICES,
} from '@berth/device-discovery'
import type { Device } from '@berth/plugin-api'
import type { AmdGpuArgs } from './args.ts'
import { readTopology, type Topology } from './topology.ts'

/** The node through which all GPUs are opened for computing. */
const KFD_NODE = '/dev/kfd'
/** The partition of GPUs that have no modes. */
const NO_PARTITION = 'none'

/** A GPU or a partition of one. */
export interface AmdGpu extends Device {
  /** Nodes that the container gets. */
  readonly nodes: readonly string[]
}

/** A PCI function with the driver amdgpu. */
interface PciGpu {
  readonly address: string
  /** Directory below /sys/devices. */
  readonly directory: string
  /** Compute and memory mode, such as `cpx_nps4`. */
  readonly partition: string
}

/** Result of a scan. */
export interface AmdScan {
  readonly devices: readonly AmdGpu[]
  /** Why devices are left out. */
  readonly failure?: Error
}

/** Returns the GPUs or their partitions, in the order of PCI addresses and render nodes. */
export async function scanAmd(args: AmdGpuArgs, host: HostFiles): Promise<AmdScan> {
  const gpus = await findGpus(host)
  const partitions = [...new Set(gpus.map(({ partition }) => partition))].toSorted()
  if (args.partition === undefined && partitions.length > 1) {
    const hint = `configure one resource for each with the argument partition: ${partitions.join(', ')}`
    return { devices: [], failure: new Error(`the GPUs of this node are partitioned in different ways; ${hint}`) }
  }
  const wanted = gpus.filter(({ partition }) => args.partition === undefined || partition === args.partition)
  const [topology, drm] = await Promise.all([readTopology(host), classDevices('drm', host)])
  const found = wanted.map((gpu) => ({ gpu, minors: minorsOf(gpu, topology, drm) }))
  const hidden = found.filter(({ minors }) => minors === undefined).map(({ gpu }) => gpu)
  const devices = await Promise.all(
    found.map(({ gpu, minors = [] }) =>
      Promise.all(minors.map((minor, index) => deviceOf(gpu, { minor, index, of: minors.length, drm, host }))),
    ),
  )
  if (hidden.length === 0) return { devices: devices.flat() }
  const problems = hidden.map(({ address, partition }) => `${address} (${partition})`)
  const hint =
    'the kernel shows them only to a container that may open the nodes of the GPU, so run the device plugin privileged'
  return {
    devices: devices.flat(),
    failure: new Error(`cannot read the partitions of ${problems.join(', ')}: ${hint}`),
  }
}

async function findGpus(host: HostFiles): Promise<readonly PciGpu[]> {
  const gpus = await Promise.all(
    (await host.names(PCI_DEVICES)).map(async (address) => {
      const directory = await host.real(join(PCI_DEVICES, address))
      if (directory === undefined || (await driverOf(directory, host)) !== 'amdgpu') return undefined
      const mode = async (name: string): Promise<string | undefined> =>
        (await host.text(join(directory, name)))?.toLowerCase()
      const [compute, memory] = await Promise.all([mode('current_compute_partition'), mode('current_memory_partition')])
      const partition = compute === undefined || memory === undefined ? NO_PARTITION : `${compute}_${memory}`
      return { address, directory, partition }
    }),
  )
  return gpus.filter((gpu) => gpu !== undefined)
}

/**
 * Returns the minor numbers of the render nodes of a GPU, one for each partition. A GPU that is not partitioned has its
 * own node, so the topology is not needed for it.
 *
 * @returns Undefined if the GPU is partitioned and the topology is hidden.
 */
function minorsOf(
  { address, directory, partition }: PciGpu,
  topology: Topology,
  drm: readonly ClassDevice[],
): readonly number[] | undefined {
  const parts = topology.get(address.slice(0, address.lastIndexOf('.')))
  if (parts !== undefined) return parts
  if (partition !== NO_PARTITION && !partition.startsWith('spx_')) return undefined
  const own = drm.find((node) => dirname(node.directory) === `${directory}/drm` && node.name.startsWith('renderD'))
  // The driver is bound, but it could not start the GPU.
  return own === undefined ? [0] : [Number(own.name.slice('renderD'.length))]
}

async function deviceOf(
  { address, directory }: PciGpu,
  options: {
    readonly minor: number
    readonly index: number
    readonly of: number
    readonly drm: readonly ClassDevice[]
    readonly host: HostFiles
  },
): Promise<AmdGpu> {
  const { minor, index, of, drm, host } = options
  const render = drm.find(({ name }) => name === `renderD${minor}`)
  const siblings = drm.filter((node) => render !== undefined && dirname(node.directory) === dirname(render.directory))
  // A connector (`card0-DP-1`) is in the directory of its card.
  const nodes = [render, siblings.find(({ name }) => /^card\d+$/.test(name))].flatMap((node) =>
    node === undefined ? [] : [`/dev/dri/${node.name}`],
  )
  const status: NodeHealth =
    render === undefined
      ? { health: 'Unhealthy', reason: `${address} has no render node: see the kernel log for errors of amdgpu` }
      : await healthOfNodes([...nodes, KFD_NODE], host)
  const numaNodes = await numaNodesAbove(directory, host)
  return {
    id: of === 1 ? address : `${address}-p${index}`,
    physicalId: address,
    ...status,
    paths: nodes,
    nodes: [...nodes, KFD_NODE],
    ...(numaNodes.length > 0 && { numaNodes }),
  }
}
