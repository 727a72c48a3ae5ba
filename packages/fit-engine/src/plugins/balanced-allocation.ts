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
  const asks = names.map((name) => toAmount(requests.get(name) ?? 0n))
  const considered = names.flatMap((name, k) => {
    const asked = asks[k] ?? 0
    const id = scoredResource(store, name, asked)
    return id === undefined ? [] : { id, asked }
  })
  const before = new Float64Array(names.length)
  const after = new Float64Array(names.length)
  store.withAllColumns(
    considered.map(({ id }) => id),
    (columns) => {
      const resources = columns.map(({ allocatable, requested }, k) => {
        const asked = considered[k]?.asked ?? 0
        // NaN stands for what is beyond a double, and fails the comparison that the short way needs.
        const quick = typeof asked === 'number' ? asked : Number.NaN
        return { allocatable, requested, has: allocatable.values, held: requested.values, asked, quick }
      })
      for (let i = 0; i < count; i++) {
        const row = rows[i] ?? 0
        let n = 0
        for (const { allocatable, requested, has, held, asked, quick } of resources) {
          const total = has[row] ?? 0
          if (total === 0) continue
          const used = held[row] ?? 0
          const sum = used + quick
          before[n] = used / total
          after[n] = sum / total
          if (!(Math.abs(sum) + Math.abs(total) <= Number.MAX_SAFE_INTEGER)) {
            // Exact amounts are added first, as in Go, and rounded then.
            const exactTotal = Number(allocatable.get(row))
            before[n] = Number(requested.get(row)) / exactTotal
            after[n] = Number(addAmounts(requested.get(row), asked)) / exactTotal
          }
          n += 1
        }
        scores[i] = BASE + Math.trunc((BASE + balance(after, n) - balance(before, n)) / 2)
      }
    },
  )
}
