import { basename, join } from 'node:path'
import {
  classDevices,
  deviceId,
  healthOfNodes,
  type HostFiles,
  matchesAny,
  type NodeHealth,
  numaNodesAbove,
  pciAddressAbove,
} from '@berth/device-discovery'
import type { Device } from '@berth/plugin-api'
import type { NetworkArgs } from './args.ts'
import { type PciFunction, problemOf, selectFunction } from './pci-function.ts'

/** A network interface or a virtual function. */
export interface NetworkDevice extends Device {
  /** Undefined for a virtual interface. */
  readonly address: string | undefined
  /** Names in the network namespace of the host. Empty for a function without a network driver, or one in a container. */
  readonly interfaces: readonly string[]
  /** Nodes that the container gets: those of VFIO. */
  readonly nodes: readonly string[]
}

/** An interface in the network namespace of the host. */
interface Interface {
  readonly name: string
  readonly directory: string
  readonly address: string | undefined
}

/**
 * Returns the selected interfaces or virtual functions, sorted by id.
 *
 * @param idByInterface - The ids of the interfaces of earlier scans, by their directory in sysfs. The new ones are added.
 */
export async function scanNetwork(
  args: NetworkArgs,
  host: HostFiles,
  idByInterface: Map<string, string>,
): Promise<readonly NetworkDevice[]> {
  const interfaces = (await classDevices('net', host)).map((each) => ({
    ...each,
    address: pciAddressAbove(each.directory),
  }))
  const found =
    args.virtualFunctionsOf === undefined
      ? await plainInterfaces(args, { interfaces, host, idByInterface })
      : await virtualFunctions(args, interfaces, host)
  return found.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

async function plainInterfaces(
  args: NetworkArgs,
  options: {
    readonly interfaces: readonly Interface[]
    readonly host: HostFiles
    readonly idByInterface: Map<string, string>
  },
): Promise<readonly NetworkDevice[]> {
  const { interfaces, host, idByInterface } = options
  const wanted = interfaces.filter(({ name }) => matchesAny(name, args.interfaces))
  const devices = await Promise.all(
    wanted.map(async ({ name, directory, address }) => {
      const id = idOf({ name, directory, address }, interfaces, idByInterface)
      const pci =
        address === undefined
          ? undefined
          : { address, directory: directory.slice(0, directory.indexOf(address) + address.length) }
      const found = pci === undefined ? undefined : await selectFunction(pci, args, host)
      const mustBePci = args.vendor !== undefined || args.device !== undefined || args.driver !== undefined
      if (found === undefined && (pci !== undefined || mustBePci)) return undefined
      return await deviceOf({
        id,
        pci: found,
        interfaces: [name],
        problem: args.requireCarrier ? await carrierProblem(name, host) : undefined,
        directory,
        host,
      })
    }),
  )
  return devices.filter((device) => device !== undefined)
}

/**
 * Returns the address of the PCI function, or the name where two interfaces share a function. An interface keeps its id
 * when another one of its function comes or goes, as with one that moves into a pod: a renamed id makes a held device
 * look free.
 */
function idOf(
  { name, directory, address }: Interface,
  interfaces: readonly Interface[],
  idByInterface: Map<string, string>,
): string {
  const byName = deviceId(`/net/${name}`)
  if (address === undefined) return byName
  const siblings = interfaces.filter((other) => other.directory !== directory && other.address === address)
  const wasShared = [...idByInterface].some(([known, id]) => pciAddressAbove(known) === address && id !== address)
  const id = idByInterface.get(directory) ?? (siblings.length > 0 || wasShared ? byName : address)
  idByInterface.set(directory, id)
  return id
}

async function virtualFunctions(
  args: NetworkArgs,
  interfaces: readonly Interface[],
  host: HostFiles,
): Promise<readonly NetworkDevice[]> {
  const { first, last } = args.indexes ?? { first: 0, last: Number.MAX_SAFE_INTEGER }
  const parents = (await host.names('/sys/bus/pci/devices')).map((address) => ({
    address,
    names: interfaces.filter((each) => each.address === address).map(({ name }) => name),
  }))
  const wanted = parents.filter(({ address, names }) =>
    [address, ...names].some((name) => matchesAny(name, args.virtualFunctionsOf)),
  )
  const devices = await Promise.all(
    wanted.map(async (parent) => {
      const directory = join('/sys/bus/pci/devices', parent.address)
      const links = (await host.names(directory)).filter((name) => {
        const index = Number(/^virtfn(\d+)$/.exec(name)?.[1] ?? -1)
        return index >= first && index <= last
      })
      const [name] = parent.names
      const problem = args.requireCarrier && name !== undefined ? await carrierProblem(name, host) : undefined
      return await Promise.all(
        links.map(async (link) => {
          const target = await host.real(join(directory, link))
          if (target === undefined) return undefined
          const address = basename(target)
          const pci = await selectFunction({ address, directory: target }, args, host)
          if (pci === undefined) return undefined
          const own = interfaces.filter((each) => each.address === address).map((each) => each.name)
          return await deviceOf({
            id: address,
            pci,
            parent: parent.address,
            interfaces: own,
            problem,
            directory: target,
            host,
          })
        }),
      )
    }),
  )
  return devices.flat().filter((device) => device !== undefined)
}

async function deviceOf(options: {
  readonly id: string
  readonly pci: PciFunction | undefined
  /** Address of the physical function. Default: none. */
  readonly parent?: string
  readonly interfaces: readonly string[]
  readonly problem: string | undefined
  readonly directory: string
  readonly host: HostFiles
}): Promise<NetworkDevice> {
  const { id, pci, interfaces, directory, host } = options
  const nodes = pci?.group?.nodes ?? []
  const problem = options.problem ?? (pci === undefined ? undefined : problemOf(pci))
  const status: NodeHealth =
    problem === undefined ? await healthOfNodes(nodes, host) : { health: 'Unhealthy', reason: problem }
  const numaNodes = await numaNodesAbove(directory, host)
  return {
    id,
    ...status,
    ...(options.parent !== undefined && { physicalId: options.parent }),
    address: pci?.address,
    interfaces,
    nodes,
    paths: [
      ...nodes,
      ...interfaces.map((name) => `/sys/class/net/${name}`),
      ...(pci === undefined ? [] : [`/sys/bus/pci/devices/${pci.address}`]),
    ],
    ...(numaNodes.length > 0 && { numaNodes }),
  }
}

/** `carrier` cannot be read while an interface is down. */
async function carrierProblem(name: string, host: HostFiles): Promise<string | undefined> {
  const carrier = await host.text(`/sys/class/net/${name}/carrier`)
  if (carrier === '1') return undefined
  return carrier === '0' ? `${name} has no carrier` : `${name} is down`
}
