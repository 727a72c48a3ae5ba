import { balancedScoreRequests } from '@berth/resources'
import type { Candidates, Pod } from '@berth/types'
import type { EngineContext, EnginePlugin } from '../framework/engine-plugin.ts'
import type { BalancedAllocationArgs } from '../plugin-args.ts'
import { balance } from '../scoring/balance.ts'
import { addAmounts, toAmount } from '../state/amount.ts'
import { onlyFields, refuseArgs } from './refuse-args.ts'
import { scoredResource } from './scored-resource.ts'

const PLUGIN = 'NodeResourcesBalancedAllocation'
/** Score of a node whose balance the pod does not change is 50 + 50 / 2. */
const BASE = 50

/**
 * Prefers nodes whose resources are used more evenly with the pod than without.
 *
 * @throws ProfileError BERTH_FIT_ARGS when the arguments are not valid.
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go (v1.36)
 */
export function balancedAllocation(args?: BalancedAllocationArgs): EnginePlugin {
  const names = parse(args)
  return {
    name: PLUGIN,
    preScore: (pod) => {
      const requests = balancedScoreRequests(pod)
      return names.every((name) => (requests.get(name) ?? 0n) === 0n) ? { kind: 'skip' } : undefined
    },
    score: (pod, candidates, scores, context) => score(pod, names, candidates, scores, context),
  }
}

function parse(args: BalancedAllocationArgs = {}): readonly string[] {
  onlyFields(PLUGIN, '', args, ['resources'])
  if (args.resources === undefined || args.resources.length === 0) return ['cpu', 'memory']
  const seen = new Set<string>()
  args.resources.forEach((resource, i) => {
    onlyFields(PLUGIN, `resources[${i}]`, resource, ['name', 'weight'])
    const { name, weight } = resource
    if (weight !== undefined && weight !== 0 && weight !== 1) {
      refuseArgs(PLUGIN, `resources[${i}].weight`, `${weight} is not 1`)
    }
    if (seen.has(name)) refuseArgs(PLUGIN, `resources[${i}].name`, `${name} is there twice`)
    seen.add(name)
  })
  return [...seen]
}

function score(
  pod: Pod,
  names: readonly string[],
  { rows, count }: Candidates,
  scores: Float64Array,
  { cluster: { store } }: EngineContext,
): void {
  const requests = balancedScoreRequests(pod)
  const width = names.length
  const before = new Float64Array(count * width)
  const after = new Float64Array(count * width)
  /** How many resources count on each node. */
  const counts = new Int32Array(count)
  for (const name of names) {
    const asked = toAmount(requests.get(name) ?? 0n)
    const id = scoredResource(store, name, asked)
    if (id === undefined) continue
    store.withColumns(id, (allocatable, requested) => {
      for (let i = 0; i < count; i++) {
        const row = rows[i] ?? 0
        if (allocatable.values[row] === 0) continue
        const total = Number(allocatable.get(row))
        const used = requested.get(row)
        const at = i * width + (counts[i] ?? 0)
        before[at] = Number(used) / total
        after[at] = Number(addAmounts(used, asked)) / total
        counts[i] = (counts[i] ?? 0) + 1
      }
    })
  }
  for (let i = 0; i < count; i++) {
    const from = i * width
    const n = counts[i] ?? 0
    const gain = balance(after.subarray(from, from + n), n) - balance(before.subarray(from, from + n), n)
    scores[i] = BASE + Math.trunc((BASE + gain) / 2)
  }
}
