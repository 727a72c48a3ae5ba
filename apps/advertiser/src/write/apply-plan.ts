import { isApiStatus, resourceRefs, type ApiClient } from '@berth/k8s-client'
import type { Node } from '@berth/types'
import { AdvertiseError } from '../errors.ts'
import type { NodePlan } from '../plan/plan-node.ts'

/** Who owns the fields that the advertiser writes, as the API server's managedFields name it. */
export const FIELD_MANAGER = 'berth-advertiser'

/** How often a node that keeps changing is read and planned again before giving up for now. */
const ATTEMPTS = 6

/** How bringing one node to its plan ended. */
export type ApplyOutcome =
  | { readonly kind: 'unchanged'; readonly plan: NodePlan }
  /** The same write was needed too often lately: it waits `delayMs`. */
  | { readonly kind: 'held'; readonly plan: NodePlan; readonly delayMs: number }
  /** `before` is the node that the written plan was made for. */
  | { readonly kind: 'written'; readonly plan: NodePlan; readonly before: Node }
  /** The node does not exist any more. */
  | { readonly kind: 'gone' }

/** What {@link applyPlan} needs of the world. */
export interface ApplyOptions {
  readonly client: ApiClient
  readonly planFor: (node: Node) => NodePlan
  /** Milliseconds that this write must still wait; default: none does. */
  readonly holdMs?: (plan: NodePlan) => number
  /** Called for every 409. */
  readonly onRetry?: () => void
  readonly signal?: AbortSignal
}

/**
 * Plans for `node` and writes the plan in one patch that names the node's version; when the node changed
 * meanwhile (409), reads it and plans again.
 *
 * @throws AdvertiseError BERTH_ADVERTISER_CONTENDED; what the client throws for every other failed call.
 */
export async function applyPlan(node: Node, options: ApplyOptions): Promise<ApplyOutcome> {
  const { client, planFor, holdMs, onRetry, signal } = options
  const name = node.metadata.name ?? ''
  const call = signal === undefined ? {} : { signal }
  let before = node
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const plan = planFor(before)
    if (plan.patch === undefined) return { kind: 'unchanged', plan }
    const delayMs = holdMs?.(plan) ?? 0
    if (delayMs > 0) return { kind: 'held', plan, delayMs }
    try {
      await client.patchNodeStatus(name, plan.patch, {
        ...call,
        fieldManager: FIELD_MANAGER,
        ...(plan.resourceVersion !== undefined && { resourceVersion: plan.resourceVersion }),
      })
      return { kind: 'written', plan, before }
    } catch (error) {
      if (isApiStatus(error, 404)) return { kind: 'gone' }
      if (!isApiStatus(error, 409)) throw error
      onRetry?.()
    }
    const fresh = await client.find<Node>(resourceRefs.nodes, { name }, call)
    if (fresh === undefined) return { kind: 'gone' }
    before = fresh
  }
  throw new AdvertiseError(`advertise on node ${name}: the node changed ${ATTEMPTS} times while it was written`, {
    code: 'BERTH_ADVERTISER_CONTENDED',
    retryable: true,
    hint: `See who writes it: kubectl get node ${name} --show-managed-fields -o yaml`,
  })
}
