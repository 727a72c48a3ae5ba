import { fitScoreRequests } from '@berth/resources'
import type { Candidates, Pod } from '@berth/types'
import { exactScore, type ScoreBatch, type ScoreSums, type ScoringStrategy } from './strategies/scoring-strategy.ts'
import type { Amount } from '../../state/resources/amount.ts'
import { type AmountColumn, PLAIN_LIMIT } from '../../state/resources/amount-column.ts'
import type { ClusterTable } from '../../state/cluster-table.ts'
import { CPU, MEMORY } from '../../state/resources/resource-names.ts'
import type { ResourceColumns } from '../../state/resources/resource-store.ts'
import type { WeightedResource } from './args.ts'
import { requestKey } from '../resource-scoring/request-key.ts'
import { type ScoredRequests, scoredRequests } from '../resource-scoring/scored-requests.ts'
import { scoredResourceId } from '../resource-scoring/scored-resource.ts'

/** Parsed arguments of the scorer. */
export interface FitScoring {
  readonly strategy: ScoringStrategy
  readonly resources: readonly WeightedResource[]
}

function requestsOf(pod: Pod, { resources }: FitScoring): ScoredRequests {
  const names = resources.map(({ name }) => name)
  return scoredRequests(names, fitScoreRequests(pod))
}

/** Returns the key of the amounts that the score depends on. */
export function fitScoreShape(pod: Pod, scoring: FitScoring): string {
  return requestKey(requestsOf(pod, scoring))
}

/** Writes the scores of NodeResourcesFit: the weighted mean of the resources, each scored by the strategy. */
export function fitScore(
  pod: Pod,
  scoring: FitScoring,
  candidates: Candidates,
  scores: Float64Array,
  cluster: ClusterTable,
): void {
  const { strategy, resources } = scoring
  const scored = requestsOf(pod, scoring).flatMap(([name, request], k) => {
    const id = scoredResourceId(cluster.store, name, request)
    return id === undefined ? [] : scoredResourceOf(cluster, id, candidates, request, resources[k]?.weight ?? 0)
  })
  const [first, second] = scored
  const isPair = scored.length === 2 && first?.batch.isPlain === true && second?.batch.isPlain === true
  const start = (isPair && strategy.scorePair?.(first.batch, second.batch, scores)) || 0
  if (start < candidates.count) {
    const weights = cluster.scratch.takeFloats(candidates.count)
    for (const term of scored) addScores(strategy, term, start, { scores, weights })
    strategy.average({ scores, weights }, start, candidates.count)
    cluster.scratch.giveBack(weights)
  }
  for (const { id, columns } of scored) cluster.store.returnColumns(id, columns)
}

/** One resource that counts for the score. */
interface ScoredResource {
  readonly id: number
  readonly columns: ResourceColumns
  readonly used: AmountColumn
  readonly request: Amount
  readonly batch: ScoreBatch
}

function scoredResourceOf(
  cluster: ClusterTable,
  id: number,
  { rows, count }: Candidates,
  request: Amount,
  weight: number,
): ScoredResource {
  const columns = cluster.store.borrowColumns(id)
  const used = id === CPU ? cluster.nonZeroCpu : id === MEMORY ? cluster.nonZeroMemory : columns.requested
  // NaN stands for an amount that does not fit a double. It fails the comparisons of the fast path.
  const requestOrNaN = typeof request === 'number' ? request : Number.NaN
  const { allocatable } = columns
  const isPlain = used.isPlain && allocatable.isPlain && requestOrNaN >= 0 && requestOrNaN <= PLAIN_LIMIT
  const batch = {
    rows,
    count,
    requested: used.values,
    allocatable: allocatable.values,
    podRequest: requestOrNaN,
    weight,
    isPlain,
  }
  return { id, columns, used, request, batch }
}

/** Adds the weighted score of one resource, and its weight, for each candidate that has it. */
function addScores(
  strategy: ScoringStrategy,
  { columns, used, request, batch }: ScoredResource,
  start: number,
  sums: ScoreSums,
): void {
  const { rows, count, weight } = batch
  for (let i = strategy.addNumbers(batch, start, sums); i < count; i = strategy.addNumbers(batch, i + 1, sums)) {
    const row = rows[i] ?? 0
    const score = exactScore(strategy, used.get(row), request, columns.allocatable.get(row))
    if (score <= 0 && strategy.ignoresZeroScores) continue
    sums.scores[i] = (sums.scores[i] ?? 0) + score * weight
    sums.weights[i] = (sums.weights[i] ?? 0) + weight
  }
}
