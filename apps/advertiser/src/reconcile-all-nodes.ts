import { resourceRefs, type ApiClient } from '@berth/k8s-client'
import { listNames } from '@berth/text/list-names'
import type { Clock, Logger, Node } from '@berth/types'
import { AdvertiseError } from './errors.ts'
import { planFor, type DesiredState } from './plan/desired-state.ts'
import { findUnmatched } from './plan/find-unmatched.ts'
import type { AllPlans, NodePlan } from './plan/node-plan.ts'
import { refuseForeignOwner } from './refuse-foreign-owner.ts'
import type { AdvertiserMetrics } from './report/advertiser-metrics.ts'
import type { NodeReporter } from './report/node-reporter.ts'
import type { SourceReadings } from './sources/source-readings.ts'
import { planAboveUse } from './write/plan-above-use.ts'
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
  readonly clock: Clock
  readonly signal: AbortSignal
}

/**
 * Plans the changes of all nodes. Writes nothing.
 *
 * @param options.ignoreUse - Plan to lower resources also below what running pods hold. Default: false.
 */
export async function planAllNodes(options: AllNodesOptions & { readonly ignoreUse?: boolean }): Promise<AllPlans> {
  const { client, desired, clock, signal, ignoreUse } = options
  const nodes = await readNodes(options)
  const nowMs = clock.now()
  const plans: NodePlan[] = []
  for (const node of nodes) {
    plans.push(
      ignoreUse === true
        ? planFor(desired, node, { nowMs })
        : await planAboveUse(node, { client, desired, nowMs, signal }),
    )
  }
  return { plans, unmatched: findUnmatched(desired.declarations, nodes) }
}

/**
 * Reconciles all nodes once. Without declarations this withdraws everything that the installation advertises.
 *
 * @param options.ignoreUse - Withdraw also what running pods hold. Default: false.
 * @param options.mayWrite - Returns whether this process may still write.
 * @returns The number of nodes.
 * @throws AdvertiseError BERTH_ADVERTISER_INCOMPLETE when some nodes do not match, or a declaration matches no node; the
 * others were reconciled.
 * @throws AdvertiseError BERTH_ADVERTISER_FOREIGN_OWNER when a declaration selects a node whose record belongs to another
 * installation. Nothing was written.
 */
export async function reconcileAllNodes(
  options: AllNodesOptions & {
    readonly reporter: NodeReporter
    readonly metrics: AdvertiserMetrics
    readonly log: Logger
    readonly ignoreUse?: boolean
    readonly mayWrite?: () => boolean
  },
): Promise<number> {
  const nodes = await readNodes(options)
  refuseForeignNodes(nodes, options)
  const unmatched = findUnmatched(options.desired.declarations, nodes)
  for (const reason of unmatched) options.log.warn({ reason }, 'A declaration has no node')
  const incomplete: string[] = []
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
  const faults = [...incompleteText(incomplete.toSorted()), ...unmatched]
  if (faults.length === 0) return nodes.length
  throw new AdvertiseError(`advertise: ${faults.join('; ')}`, {
    code: 'BERTH_ADVERTISER_INCOMPLETE',
    retryable: true,
    hint: 'The warnings above name the resource and the reason for each node.',
  })
}

function refuseForeignNodes(nodes: readonly Node[], { desired, clock }: AllNodesOptions): void {
  const plans = nodes
    .map((node) => planFor(desired, node, { nowMs: clock.now() }))
    .filter(({ conflicts }) => conflicts.some(({ kind }) => kind === 'foreign-owner'))
  refuseForeignOwner(plans, { owner: desired.owner, purpose: 'advertise' })
}

function incompleteText(names: readonly string[]): readonly string[] {
  if (names.length === 0) return []
  const count = names.length === 1 ? '1 node does not' : `${names.length} nodes do not`
  return [`${count} match the configuration: ${listNames(names, MAX_NAMED_NODES)}`]
}

async function readNodes({ client, desired, readings, signal }: AllNodesOptions): Promise<readonly Node[]> {
  const { items } = await client.list<Node>(resourceRefs.nodes, { signal })
  const nodes = items.toSorted((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))
  await Promise.all(desired.declarations.map((declaration) => readings.refresh(declaration, nodes, signal)))
  return nodes
}
