import { callHook, type ResourceSource } from '@berth/plugin-api'
import type { Clock, Node } from '@berth/types'
import { SourceError } from '../errors.ts'
import type { SourceAmount } from '../plan/declaration.ts'
import type { NodeTrimmer } from '../plan/node-trimmer.ts'
import { shapeUnits } from './shape-units.ts'

/** Returns the units of one resource that the running pods on a node hold. */
export type ReadHeldUnits = (nodeName: string, resourceName: string, signal: AbortSignal) => Promise<bigint>

/** Units that a source gave for one node. */
export interface QueriedUnits {
  readonly units: bigint
  /** Never in the future, also if the clock of the source is ahead. */
  readonly observedAtMs: number
}

/**
 * Queries a source for one node, within the deadline of the declaration, and turns its number into units.
 *
 * @throws SourceError BERTH_ADVERTISER_SOURCE_ANSWER when the number gives no units.
 * @throws PluginError of the plugin, and BERTH_PLUGIN_DEADLINE.
 * @throws Errors of `completeNode`.
 */
export async function querySource(
  { source, amount, resourceName }: QueriedSource,
  node: Node,
  { clock, readHeldUnits, completeNode, signal }: QueryOptions,
): Promise<QueriedUnits> {
  const { plugin, timeoutMs, shape, reading } = amount
  const nodeName = node.metadata.name ?? ''
  const complete = withoutResource(await completeNode(node, signal), resourceName)
  const call = { plugin, hook: 'compute', deadlineMs: timeoutMs, clock, signal }
  // Both at once, because a pod that starts between them would be counted twice or not at all.
  const [answer, held] = await callHook(call, async (until) =>
    Promise.all([
      source.compute(complete, until),
      reading === 'free' ? readHeldUnits(nodeName, resourceName, until) : Promise.resolve(0n),
    ]),
  )
  const shaped = shapeUnits(answer.units, shape, held)
  if (shaped.kind === 'units') {
    return { units: shaped.units, observedAtMs: Math.min(answer.observedAtMs, clock.now()) }
  }
  throw new SourceError(
    `compute ${resourceName} for node ${nodeName}: source ${plugin} returned ${answer.units}, which ${shaped.reason}`,
    { code: 'BERTH_ADVERTISER_SOURCE_ANSWER', retryable: true },
  )
}

interface QueriedSource {
  readonly source: ResourceSource
  readonly amount: SourceAmount
  readonly resourceName: string
}

interface QueryOptions {
  readonly clock: Clock
  readonly readHeldUnits: ReadHeldUnits
  readonly completeNode: NodeTrimmer['forSources']
  readonly signal: AbortSignal
}

/**
 * Removes a resource from a node. A source must not see its own amount: an expression such as "what is there, and one more"
 * would write a new amount after each query, without end.
 */
function withoutResource(node: Node, resourceName: string): Node {
  const { capacity = {}, allocatable = {}, ...status } = node.status ?? {}
  const { [resourceName]: _, ...otherCapacity } = capacity
  const { [resourceName]: _own, ...otherAllocatable } = allocatable
  return { ...node, status: { ...status, capacity: otherCapacity, allocatable: otherAllocatable } }
}
