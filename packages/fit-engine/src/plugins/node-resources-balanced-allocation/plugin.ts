import { balancedScoreRequests } from '@berth/resources'
import type { Candidates, Pod } from '@berth/types'
import type { EnginePlugin } from '../../framework/engine-plugin.ts'
import { type BalancedAllocationArgs, parseBalancedAllocationArgs } from './args.ts'
import { balance, pairBalance } from './balance.ts'
import { addAmounts, type Amount } from '../../state/resources/amount.ts'
import type { AmountColumn } from '../../state/resources/amount-column.ts'
import type { ClusterTable } from '../../state/cluster-table.ts'
import { requestKey } from '../resource-scoring/request-key.ts'
import { type ScoredRequests, scoredRequests } from '../resource-scoring/scored-requests.ts'
import { scoredResourceId } from '../resource-scoring/scored-resource.ts'

/** As upstream, the score is 50 + (50 + change) / 2, so a node whose balance the pod does not change scores 75. */
const BASE = 50

/**
 * Prefers nodes whose resources are used more evenly with the pod than without.
 *
 * @throws ProfileError BERTH_FIT_ARGS when the arguments are not valid.
 * @see kubernetes/kubernetes pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go (v1.36)
 */
export function balancedAllocation(args?: BalancedAllocationArgs): EnginePlugin {
  const names = parseBalancedAllocationArgs(args)
  const requestsOf = (pod: Pod): ScoredRequests => scoredRequests(names, balancedScoreRequests(pod))
  return {
    name: 'NodeResourcesBalancedAllocation',
    preScore: (pod) => {
      const requests = balancedScoreRequests(pod)
      return names.every((name) => (requests.get(name) ?? 0n) === 0n) ? { kind: 'skip' } : undefined
    },
    score: (pod, candidates, scores, { cluster }) => scoreRows(requestsOf(pod), candidates, scores, cluster),
    scoreShape: (pod) => requestKey(requestsOf(pod)),
  }
}

/** One resource that is balanced. */
interface ResourceShare {
  readonly allocatable: AmountColumn
  readonly requested: AmountColumn
  readonly request: Amount
  /** The request, or NaN when it does not fit a double: NaN fails the comparison of the fast path. */
  readonly requestOrNaN: number
}

function scoreRows(
  requests: ScoredRequests,
  candidates: Candidates,
  scores: Float64Array,
  { store }: ClusterTable,
): void {
  const considered = requests.flatMap(([name, request]) => {
    const id = scoredResourceId(store, name, request)
    return id === undefined ? [] : { id, request, columns: store.borrowColumns(id) }
  })
  const shares = considered.map(({ request, columns: { allocatable, requested } }): ResourceShare => {
    return { allocatable, requested, request, requestOrNaN: typeof request === 'number' ? request : Number.NaN }
  })
  const start = shares.length === 2 ? scorePair(candidates, shares[0], shares[1], scores) : 0
  if (start < candidates.count) scoreFrom(candidates, shares, scores, start)
  for (const { id, columns } of considered) store.returnColumns(id, columns)
}

/** The fast path for two resources. Returns the first candidate whose amounts need {@link scoreFrom}, or the count. */
function scorePair(
  { rows, count }: Candidates,
  first: ResourceShare | undefined,
  second: ResourceShare | undefined,
  scores: Float64Array,
): number {
  if (first === undefined || second === undefined) return 0
  const [has1, used1, ask1] = [first.allocatable.values, first.requested.values, first.requestOrNaN]
  const [has2, used2, ask2] = [second.allocatable.values, second.requested.values, second.requestOrNaN]
  return pairLoop(rows, count, has1, used1, ask1, has2, used2, ask2, scores)
}

/** Takes plain arguments, because a loop over object fields takes twice as long. */
function pairLoop(
  rows: Int32Array,
  count: number,
  has1: Float64Array,
  used1: Float64Array,
  ask1: number,
  has2: Float64Array,
  used2: Float64Array,
  ask2: number,
  scores: Float64Array,
): number {
  if (!(ask1 >= 0 && ask2 >= 0)) return 0
  for (let i = 0; i < count; i++) {
    const row = rows[i] ?? 0
    const total1 = has1[row] ?? 0
    const total2 = has2[row] ?? 0
    const before1 = used1[row] ?? 0
    const before2 = used2[row] ?? 0
    const after1 = before1 + ask1
    const after2 = before2 + ask2
    const isFast =
      total1 > 0 &&
      total2 > 0 &&
      before1 >= 0 &&
      before2 >= 0 &&
      after1 + total1 <= Number.MAX_SAFE_INTEGER &&
      after2 + total2 <= Number.MAX_SAFE_INTEGER
    if (!isFast) return i
    const change = pairBalance(after1 / total1, after2 / total2) - pairBalance(before1 / total1, before2 / total2)
    scores[i] = BASE + Math.floor((BASE + change) / 2)
  }
  return count
}

function scoreFrom(
  { rows, count }: Candidates,
  shares: readonly ResourceShare[],
  scores: Float64Array,
  start: number,
): void {
  const before = new Float64Array(shares.length)
  const after = new Float64Array(shares.length)
  for (let i = start; i < count; i++) {
    const row = rows[i] ?? 0
    let n = 0
    for (const { allocatable, requested, request, requestOrNaN } of shares) {
      const total = allocatable.values[row] ?? 0
      if (total === 0) continue
      const used = requested.values[row] ?? 0
      const sum = used + requestOrNaN
      before[n] = used / total
      after[n] = sum / total
      if (!(Math.abs(sum) + Math.abs(total) <= Number.MAX_SAFE_INTEGER)) {
        // As in Go, exact amounts are added before they are rounded.
        const exactTotal = Number(allocatable.get(row))
        before[n] = Number(requested.get(row)) / exactTotal
        after[n] = Number(addAmounts(requested.get(row), request)) / exactTotal
      }
      n += 1
    }
    scores[i] = BASE + Math.trunc((BASE + (balance(after, n) - balance(before, n))) / 2)
  }
}
