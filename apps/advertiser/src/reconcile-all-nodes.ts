import { resourceRefs, type ApiClient } from '@berth/k8s-client'
import type { Clock, Logger, Node } from '@berth/types'
import { AdvertiseError } from './errors.ts'
import { planFor, type DesiredState } from './plan/desired-state.ts'
import type { NodePlan } from './plan/plan-node.ts'
import type { AdvertiserMetrics } from './report/advertiser-metrics.ts'
import type { NodeReporter } from './report/node-reporter.ts'
import type { SourceReadings } from './sources/source-readings.ts'
import { reconcileNode } from './write/reconcile-node.ts'

/** Maximum number of nodes that are written at the same time. */
const CONCURRENCY = 8
/** Maximum number of nodes that the error names. */
const MAX_NAMED_NODES = 10

/** Dependencies of one pass over all nodes. */
export interface AllNodesOptions {
  readonly client: ApiClient
  readonly desired: DesiredState
  /** Readings of the resource sources. They are refreshed once before planning. */
  readonly readings: SourceReadings
  readonly signal: AbortSignal
}

/** Plans the changes of all nodes, sorted by node name. Writes nothing. */
export async function planAllNodes(options: AllNodesOptions): Promise<readonly NodePlan[]> {
  const nodes = await readNodes(options)
  return nodes.map((node) => planFor(options.desired, node))
}

/**
 * Reconciles all nodes once. Without declarations this withdraws everything that Berth advertises.
 *
 * @returns The number of nodes.
 * @throws AdvertiseError BERTH_ADVERTISER_INCOMPLETE when some nodes do not match; the others were reconciled.
 */
export async function reconcileAllNodes(
  options: AllNodesOptions & {
    readonly reporter: NodeReporter
    readonly metrics: AdvertiserMetrics
    readonly log: Logger
    readonly clock: Clock
  },
): Promise<number> {
  const nodes = await readNodes(options)
  const incomplete: string[] = findMissingNodes(options.desired, nodes)
  for (const name of incomplete) options.log.warn({ node: name }, 'A node in the configuration does not exist')
  const remaining = Iterator.from(nodes)
  const worker = async (): Promise<void> => {
    for (const node of remaining) {
      const name = node.metadata.name ?? ''
      try {
        if (!(await reconcileNode(node, options)).isComplete) incomplete.push(name)
      } catch (err) {
        options.metrics.failed()
        options.log.warn({ node: name, err }, 'Could not reconcile a node')
        incomplete.push(name)
      }
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
  if (incomplete.length === 0) return nodes.length
  const names = incomplete.toSorted().slice(0, MAX_NAMED_NODES).join(', ')
  const more = incomplete.length > MAX_NAMED_NODES ? ` and ${incomplete.length - MAX_NAMED_NODES} more` : ''
  const count = incomplete.length === 1 ? '1 node does not' : `${incomplete.length} nodes do not`
  throw new AdvertiseError(`advertise: ${count} match the configuration: ${names}${more}`, {
    code: 'BERTH_ADVERTISER_INCOMPLETE',
    retryable: true,
    hint: 'The warnings above name the resource and the reason for each node.',
  })
}

/** Returns the node names in declarations for which no node exists, sorted. */
export function findMissingNodes(desired: DesiredState, nodes: Iterable<Node>): string[] {
  const named = desired.declarations.flatMap(({ nodes }) => (nodes.kind === 'names' ? [...nodes.names] : []))
  const known = new Set([...nodes].map((node) => node.metadata.name))
  return [...new Set(named)].filter((name) => !known.has(name)).toSorted()
}

async function readNodes({ client, desired, readings, signal }: AllNodesOptions): Promise<readonly Node[]> {
  const { items } = await client.list<Node>(resourceRefs.nodes, { signal })
  const nodes = items.toSorted((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))
  await Promise.all(desired.declarations.map((declaration) => readings.refresh(declaration, nodes, signal)))
  return nodes
}
