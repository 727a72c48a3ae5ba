import { isApiStatus, resourceRefs, type ApiClient } from '@berth/k8s-client'
import { shellCommand } from '@berth/text/shell-command'
import type { Node } from '@berth/types'
import { AdvertiseError } from '../errors.ts'
import type { NodePlan } from '../plan/node-plan.ts'

/** Field manager of the advertiser's writes in `metadata.managedFields`. */
export const FIELD_MANAGER = 'berth-advertiser'

/** Maximum number of times that a node is read and planned while other writers keep changing it. */
const MAX_ATTEMPTS = 6

/** The result of applying a node's plan. */
export type ApplyOutcome =
  | { readonly kind: 'unchanged'; readonly plan: NodePlan }
  /** `before` is the version of the node that the written plan was made for. */
  | { readonly kind: 'written'; readonly plan: NodePlan; readonly before: Node }
  /** The node was deleted. */
  | { readonly kind: 'deleted' }

/** Dependencies of {@link applyPlan}. */
export interface ApplyOptions {
  readonly client: ApiClient
  readonly planFor: (node: Node) => Promise<NodePlan>
  /** Called for every 409 Conflict. */
  readonly onRetry?: () => void
  /** Returns whether this process may still write. Asked right before each write. */
  readonly mayWrite?: () => boolean
  readonly signal?: AbortSignal
}

/**
 * Plans the changes of `node` and writes them in one patch that names the node's version. When the node changed in
 * between (409 Conflict), reads the node and plans again.
 *
 * @throws AdvertiseError BERTH_ADVERTISER_CONTENDED
 * @throws Errors of the client for every other failed call.
 */
export async function applyPlan(node: Node, options: ApplyOptions): Promise<ApplyOutcome> {
  const { client, planFor, onRetry, mayWrite, signal } = options
  const name = node.metadata.name ?? ''
  const call = signal === undefined ? {} : { signal }
  let before = node
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const plan = await planFor(before)
    if (plan.patch === undefined) return { kind: 'unchanged', plan }
    try {
      await client.patchNodeStatus(name, plan.patch, {
        ...call,
        fieldManager: FIELD_MANAGER,
        ...(mayWrite !== undefined && { mayStart: mayWrite }),
        ...(plan.resourceVersion !== undefined && { resourceVersion: plan.resourceVersion }),
      })
      return { kind: 'written', plan, before }
    } catch (error) {
      if (isApiStatus(error, 404)) return { kind: 'deleted' }
      if (!isApiStatus(error, 409)) throw error
      onRetry?.()
    }
    const fresh = await client.find<Node>(resourceRefs.nodes, { name }, call)
    if (fresh === undefined) return { kind: 'deleted' }
    before = fresh
  }
  throw new AdvertiseError(
    `advertise on node ${name}: the node changed during each of ${MAX_ATTEMPTS} attempts to write it`,
    {
      code: 'BERTH_ADVERTISER_CONTENDED',
      retryable: true,
      hint: `Find the other writer: ${shellCommand('kubectl', 'get', 'node', name, '--show-managed-fields', '-o', 'yaml')}`,
    },
  )
}
