import { fitScoreRequests } from '@berth/resources'
import type { Candidates, Pod } from '@berth/types'
import { exactScore, type ScoreBatch, type ScoreSums, type ScoringStrategy } from './strategies/scoring-strategy.ts'
import { type Amount, toAmount } from '../../state/resources/amount.ts'
import { type AmountColumn, PLAIN_LIMIT } from '../../state/resources/amount-column.ts'
import type { ClusterTable } from '../../state/cluster-table.ts'
import { CPU, MEMORY } from '../../state/resources/resource-names.ts'
import type { ResourceColumns } from '../../state/resources/resource-store.ts'
import type { WeightedResource } from './args.ts'
import { copyAnswers } from '../resource-scoring/copy-answers.ts'
import { shapeOf } from '../resource-scoring/shape-of.ts'
import { scoredResource } from '../resource-scoring/scored-resource.ts'

/** Arguments of the scorer; the object itself stands for them where answers are remembered. */
export interface FitScoring {
  readonly strategy: ScoringStrategy
  readonly resources: readonly WeightedResource[]
}

/** Writes the score of NodeResourcesFit: the weighted mean over the resources, each scored by the strategy. */
export function fitScore(
  pod: Pod,
  scoring: FitScoring,
  candidates: Candidates,
  scores: Float64Array,
  cluster: ClusterTable,
): void {
  const requests = fitScoreRequests(pod)
  const asks = scoring.resources.map(({ name }) => [name, toAmount(requests.get(name) ?? 0n)] as const)
  const known = cluster.rowValues.lookup(
    scoring,
    () => shapeOf(asks),
    cluster.rowCount,
    candidates,
    (asked, values) => scoreRows(scoring, asks, asked, values, cluster),
  )
  if (known === undefined) scoreRows(scoring, asks, candidates, scores, cluster)
  else copyAnswers(known, candidates, scores)
}

function scoreRows(
  { strategy, resources }: FitScoring,
  asks: readonly (readonly [name: string, asked: Amount])[],
  candidates: Candidates,
  scores: Float64Array,
  cluster: ClusterTable,
): void {
  const terms = asks.flatMap(([name, asked], k) => {
    const id = scoredResource(cluster.store, name, asked)
    return id === undefined ? [] : termOf(cluster, id, candidates, asked, resources[k]?.weight ?? 0)
  })
  const [first, second] = terms
  const isPair = terms.length === 2 && first?.batch.isPlain === true && second?.batch.isPlain === true
  const start = (isPair && strategy.scorePair?.(first.batch, second.batch, scores)) || 0
  if (start < candidates.count) {
    const weights = cluster.scratch.takeFloats(candidates.count)
    for (const term of terms) addResource(strategy, term, start, { scores, weights })
    strategy.average({ scores, weights }, start, candidates.count)
    cluster.scratch.giveBack(weights)
  }
  for (const { id, columns } of terms) cluster.store.returnColumns(id, columns)
}

/** One resource that takes part in the score. */
interface Term {
  readonly id: number
  readonly columns: ResourceColumns
  readonly used: AmountColumn
  readonly asked: Amount
  readonly batch: ScoreBatch
}

function termOf(cluster: ClusterTable, id: number, { rows, count }: Candidates, asked: Amount, weight: number): Term {
  const columns = cluster.store.borrowColumns(id)
  const used = id === CPU ? cluster.nonZeroCpu : id === MEMORY ? cluster.nonZeroMemory : columns.requested
  // NaN stands for what is beyond a double, and fails the comparisons that the short way needs.
  const quick = typeof asked === 'number' ? asked : Number.NaN
  const { allocatable } = columns
  const isPlain = used.isPlain && allocatable.isPlain && quick >= 0 && quick <= PLAIN_LIMIT
  const batch = { rows, count, used: used.values, has: allocatable.values, asked: quick, weight, isPlain }
  return { id, columns, used, asked, batch }
}

/** Adds the weighted score of one resource to each candidate that offers it, and its weight to `weights`. */
function addResource(
  strategy: ScoringStrategy,
  { columns, used, asked, batch }: Term,
  start: number,
  sums: ScoreSums,
): void {
  const { rows, count, weight } = batch
  for (let i = strategy.addNumbers(batch, start, sums); i < count; i = strategy.addNumbers(batch, i + 1, sums)) {
    const row = rows[i] ?? 0
    const score = exactScore(strategy, used.get(row), asked, columns.allocatable.get(row))
    if (score <= 0 && strategy.isZeroLeftOut) continue
    sums.scores[i] = (sums.scores[i] ?? 0) + score * weight
    sums.weights[i] = (sums.weights[i] ?? 0) + weight
  }
}
