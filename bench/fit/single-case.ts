/**
 * Times one case, in a process of its own. Usage: single-case.ts GROUP NAME full|quick
 */
import type { BenchOptions } from '../measurement.ts'
import { timeCases, type TimedCase } from '../time-cases.ts'
import { checkSums } from './answer-checks.ts'
import { changeCases } from './change-cases.ts'
import { checkDecisions, decisionCases } from './decision-cases.ts'
import { checkExplain, explainCases } from './explain-cases.ts'
import { candidatePod, goCluster } from './go-cluster.ts'
import { checkTopology, topologyCases, topologyCluster } from './topology-cases.ts'

const NODES = 5000

interface Prepared {
  readonly cases: readonly TimedCase[]
  /** Checks the results after the timing. */
  readonly check: () => void
}

function prepare(group: string): Prepared {
  if (group === 'topology') {
    const cluster = topologyCluster(NODES)
    return { cases: topologyCases(cluster), check: () => checkTopology(cluster) }
  }
  const cluster = goCluster(NODES)
  return {
    cases: [...decisionCases(cluster), ...changeCases(cluster), ...explainCases(cluster)],
    check: () => {
      cluster.state.forget(candidatePod('placed'))
      checkSums(cluster)
      checkDecisions(cluster)
      checkExplain(cluster)
    },
  }
}

const [group = '', name = '', length] = process.argv.slice(2)
const { cases, check } = prepare(group)
const options: BenchOptions = { isQuick: length === 'quick', progress: () => undefined }
const times = timeCases(
  cases.filter((each) => each.name === name),
  options,
)
check()
console.log(JSON.stringify(times.get(name) ?? []))
