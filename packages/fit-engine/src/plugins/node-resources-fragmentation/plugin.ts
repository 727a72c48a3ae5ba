import { isExtendedResourceName, podRequest } from '@berth/resources'
import type { Candidates, Pod } from '@berth/types'
import type { EngineContext, EnginePlugin } from '../../framework/engine-plugin.ts'
import { powersOfTwo, wholeBlocks } from './whole-blocks.ts'
import type { ResourceColumns } from '../../state/resources/resource-store.ts'
import { type BlockResource, type FragmentationArgs, parseFragmentationArgs } from './args.ts'

const STATE_KEY = 'requested-resources'

/** A resource that counts for the score of a pod. */
interface RequestedResource {
  readonly id: number
  readonly amount: number
  readonly weight: number
  /** Undefined: powers of two. */
  readonly sizes: readonly number[] | undefined
}

/**
 * Prefers nodes on which the pod does not break a block of free units that could stay whole, so that pods fill gaps and
 * large requests find room later. A node's score is the weighted mean over the extended resources that the pod requests
 * (see {@link wholeBlocks}). This plugin is Berth's own and not part of the default profile.
 *
 * Amounts beyond 2^53 are rounded to a double first.
 *
 * @throws ProfileError BERTH_FIT_ARGS when the arguments are not valid.
 */
export function resourcesFragmentation(args?: FragmentationArgs): EnginePlugin {
  const resources = parseFragmentationArgs(args)
  return {
    name: 'NodeResourcesFragmentation',
    preScore: (pod, _candidates, context) => {
      const requested = requestedResources(pod, resources, context)
      context.state.set(STATE_KEY, requested)
      return requested.length === 0 ? { kind: 'skip' } : undefined
    },
    score: (pod, candidates, scores, context) => {
      const cached = context.state.get(STATE_KEY) as readonly RequestedResource[] | undefined
      score(cached ?? requestedResources(pod, resources, context), candidates, scores, context)
    },
  }
}

function requestedResources(
  pod: Pod,
  resources: ReadonlyMap<string, BlockResource> | undefined,
  { cluster: { store } }: EngineContext,
): readonly RequestedResource[] {
  return [...podRequest(pod).scalar].flatMap(([name, amount]) => {
    const id = store.names.idOf(name)
    const configured = resources === undefined ? { weight: 1, sizes: undefined } : resources.get(name)
    if (id === undefined || configured === undefined || amount <= 0n || !isExtendedResourceName(name)) return []
    return { id, amount: Number(amount), ...configured }
  })
}

function score(
  requested: readonly RequestedResource[],
  candidates: Candidates,
  scores: Float64Array,
  { cluster }: EngineContext,
): void {
  const weights = cluster.scratch.takeFloats(candidates.count)
  for (const each of requested) {
    const columns = cluster.store.borrowColumns(each.id)
    addResource(each, columns, candidates, { scores, weights })
    cluster.store.returnColumns(each.id, columns)
  }
  for (let i = 0; i < candidates.count; i++) {
    const weight = weights[i] ?? 0
    scores[i] = weight === 0 ? 0 : Math.floor((scores[i] ?? 0) / weight)
  }
  cluster.scratch.giveBack(weights)
}

function addResource(
  { amount, weight, sizes }: RequestedResource,
  columns: ResourceColumns,
  { rows, count }: Candidates,
  { scores, weights }: { readonly scores: Float64Array; readonly weights: Float64Array },
): void {
  const free = (row: number): number => Number(columns.allocatable.get(row)) - Number(columns.requested.get(row))
  let largest = 0
  for (let i = 0; i < count; i++) largest = Math.max(largest, free(rows[i] ?? 0))
  const blocks = sizes ?? powersOfTwo(largest)
  for (let i = 0; i < count; i++) {
    const row = rows[i] ?? 0
    if (columns.allocatable.get(row) <= 0) continue
    scores[i] = (scores[i] ?? 0) + weight * wholeBlocks(free(row), amount, blocks)
    weights[i] = (weights[i] ?? 0) + weight
  }
}
