import { isApiStatus, resourceRefs } from '@berth/k8s-client'
import type { Node, Random } from '@berth/types'
import type { Advertiser } from '../../src/advertiser.ts'
import type { ResourceEntry } from '../../src/config.ts'
import type { TestCluster } from '../test-cluster.ts'
import type { Declaring } from './declare.ts'

/** Nodes and resources of a random run. */
export const nodeNames = ['node-0', 'node-1', 'node-2'] as const
/** Resources of a random run. */
export const resourceNames = ['example.com/dongle', 'example.com/seat'] as const

/** The state of a random run: what is declared, and which pods hold what. */
export interface RandomCluster {
  readonly cluster: TestCluster
  readonly random: Random
  readonly declaring: Declaring
  advertiser: Advertiser
  /** Declared units by `node resource`. */
  declared: ReadonlyMap<string, number>
  /** Ends an outage of the API server. */
  readonly restoreServer: () => void
  /** Units that pods hold, by pod, with the node and the resource. */
  readonly pods: Map<string, { readonly node: string; readonly resource: string; readonly units: number }>
}

/** Returns a random element. */
export function pick<T>(random: Random, values: readonly [T, ...T[]]): T {
  return values[Math.floor(random() * values.length)] ?? values[0]
}

/** Declares random units for random nodes. */
export function randomDeclarations(random: Random): ReadonlyMap<string, number> {
  const declared = new Map<string, number>()
  for (const resource of resourceNames) {
    if (random() < 0.2) continue
    const units = 1 + Math.floor(random() * 6)
    for (const node of nodeNames) if (random() < 0.7) declared.set(`${node} ${resource}`, units)
  }
  return declared
}

/** Returns the configuration with these declarations. */
export function toResources(declared: ReadonlyMap<string, number>): readonly ResourceEntry[] {
  return [...declared].map(([key, units]) => {
    const [node = '', name = ''] = key.split(' ')
    return { name, units, nodes: { names: [node] } }
  })
}

/** Returns what the running pods hold of a resource on a node. */
export function heldUnits({ pods }: RandomCluster, node: string, resource: string): number {
  return [...pods.values()]
    .filter((pod) => pod.node === node && pod.resource === resource)
    .reduce((sum, { units }) => sum + units, 0)
}

/** Writes capacity and allocatable of a node as another writer. A node that does not exist stays away. */
export async function writeAmounts(
  { cluster }: RandomCluster,
  node: string,
  write: { readonly manager: string; readonly capacity?: object; readonly allocatable?: object },
): Promise<void> {
  const { manager, ...status } = write
  await cluster.admin.patchNodeStatus(node, { status }, { fieldManager: manager }).catch((error: unknown) => {
    if (!isApiStatus(error, 404)) throw error
  })
}

/** Deletes a node with its pods, and creates it again under the same name. */
export async function recreateNode({ cluster, pods }: RandomCluster, node: string): Promise<void> {
  await cluster.admin.delete(resourceRefs.nodes, { name: node })
  for (const [name, pod] of pods) if (pod.node === node) await endPod(cluster, pods, name)
  await cluster.addNode(node)
}

/** Deletes a pod. */
export async function endPod(cluster: TestCluster, pods: RandomCluster['pods'], name: string): Promise<void> {
  pods.delete(name)
  await cluster.admin.delete(resourceRefs.pods, { namespace: 'default', name }, { gracePeriodSeconds: 0 })
}

/** Adds a pod that fits into what is declared and offered, as a scheduler would. Returns false where no unit is free. */
export async function addFittingPod(state: RandomCluster, name: string): Promise<boolean> {
  const { cluster, random, declared, pods } = state
  const node = pick(random, nodeNames)
  const resource = pick(random, resourceNames)
  const { status }: Node = await cluster.node(node)
  const offered = Number(status?.allocatable?.[resource] ?? 0)
  const free = Math.min(offered, declared.get(`${node} ${resource}`) ?? 0) - heldUnits(state, node, resource)
  if (free <= 0) return false
  const units = 1 + Math.floor(random() * free)
  pods.set(name, { node, resource, units })
  await cluster.addPod(name, node, { [resource]: String(units) })
  return true
}
