import { resourceRefs, type ApiClient } from '@berth/k8s-client'
import type { Clock, Logger, Node } from '@berth/types'
import { AdvertiseError } from './errors.ts'
import type { AdvertiserMetrics } from './report/advertiser-metrics.ts'
import type { NodeReporter } from './report/node-reporter.ts'
import { bringNode, planFor, type Wanted } from './write/reconcile-node.ts'
import type { NodePlan } from './plan/plan-node.ts'
import type { SourceReadings } from './sources/source-readings.ts'

/** Nodes written at the same time. */
const CONCURRENCY = 8

/** What one pass over all nodes needs. */
export interface PassOptions {
  readonly client: ApiClient
  readonly wanted: Wanted
  /** Asked once before anything is planned. */
  readonly readings: SourceReadings
  readonly signal: AbortSignal
}

/** What is to be changed where, sorted by node; nothing is written. */
export async function planOnce(options: PassOptions): Promise<readonly NodePlan[]> {
  const nodes = await readNodes(options)
  return nodes.map((node) => planFor(options.wanted, node))
}

/**
 * Brings every node to what is wanted, once. With no declarations it takes everything back.
 *
 * @returns How many nodes there are.
 * @throws AdvertiseError BERTH_ADVERTISER_INCOMPLETE when some node could not be brought there; the others were.
 */
export async function advertiseOnce(
  options: PassOptions & {
    readonly reporter: NodeReporter
    readonly metrics: AdvertiserMetrics
    readonly log: Logger
    readonly clock: Clock
  },
): Promise<number> {
  const nodes = await readNodes(options)
  const incomplete: string[] = missingNodes(options.wanted, nodes)
  for (const name of incomplete) options.log.warn({ node: name }, 'A node that the configuration names does not exist')
  const remaining = Iterator.from(nodes)
  const worker = async (): Promise<void> => {
    for (const node of remaining) {
      const name = node.metadata.name ?? ''
      try {
        if (!(await bringNode(node, options)).isComplete) incomplete.push(name)
      } catch (err) {
        options.metrics.failed()
        options.log.warn({ node: name, err }, 'Could not bring a node to what is declared')
        incomplete.push(name)
      }
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
  if (incomplete.length === 0) return nodes.length
  const names = incomplete.toSorted().slice(0, 10).join(', ')
  const more = incomplete.length > 10 ? ` and ${incomplete.length - 10} more` : ''
  throw new AdvertiseError(`advertise: ${incomplete.length} nodes are not as declared: ${names}${more}`, {
    code: 'BERTH_ADVERTISER_INCOMPLETE',
    retryable: true,
    hint: 'The warnings above name the resource and the reason for each node.',
  })
}

/** Names in declarations that no node has. */
export function missingNodes(wanted: Wanted, nodes: Iterable<Node>): string[] {
  const named = wanted.declarations.flatMap(({ nodes }) => (nodes.kind === 'names' ? [...nodes.names] : []))
  const known = new Set([...nodes].map((node) => node.metadata.name))
  return [...new Set(named)].filter((name) => !known.has(name)).toSorted()
}

async function readNodes({ client, wanted, readings, signal }: PassOptions): Promise<readonly Node[]> {
  const { items } = await client.list<Node>(resourceRefs.nodes, { signal })
  const nodes = items.toSorted((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))
  await Promise.all(wanted.declarations.map((declaration) => readings.refresh(declaration, nodes, signal)))
  return nodes
}
