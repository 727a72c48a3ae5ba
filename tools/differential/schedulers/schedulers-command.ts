import { type CommandDefinition, commandLineOrExit } from '@berth/process/command'
import { errorText } from '@berth/text/error-text'
import { buildOracle } from '../build-oracle.ts'
import { buildKubeScheduler } from './build-kube-scheduler.ts'
import { type Comparison, compareSchedulers } from './compare-schedulers.ts'
import type { History } from './history.ts'
import { randomHistory } from './random-history.ts'
import { startContestants } from './start-contestants.ts'

const command: CommandDefinition = {
  name: 'npm run differential -- schedulers',
  summary: 'Runs kube-scheduler and Berth with the same seeded histories and compares the pods that they place.',
  flags: [
    {
      name: 'seeds',
      placeholder: 'N',
      range: { min: 1, max: Number.MAX_SAFE_INTEGER },
      description: 'Number of histories. Default: 20.',
    },
    {
      name: 'from',
      placeholder: 'N',
      range: { min: 0, max: Number.MAX_SAFE_INTEGER },
      description: 'First seed. Default: 1. A history depends only on its seed.',
    },
  ],
  examples: [{ command: 'npm run differential -- schedulers --from 7 --seeds 1', description: 'Repeat one history' }],
  notes: [
    "Requires Go 1.26. kube-scheduler and the oracle are built once, into the user's cache folder.",
    'A history counts only if two runs of kube-scheduler agree. Exits with 1 if a history that counts differs, or if Berth leaves a pod behind that fits a node.',
  ],
}

interface Totals {
  equal: number
  different: number
  undecided: number
  leftBehind: number
}

/** Runs the command. Returns the exit code: 1 if Berth differs or leaves a pod behind. */
export async function runSchedulersCommand(argv: readonly string[]): Promise<number> {
  const line = commandLineOrExit(command, argv)
  const from = line.number('from') ?? 1
  const count = line.number('seeds') ?? 20
  const startMs = performance.now()
  const totals: Totals = { equal: 0, different: 0, undecided: 0, leftBehind: 0 }
  let furtherRuns = 0
  const programs = { program: buildKubeScheduler(), oracle: buildOracle() }
  let restarts = 0
  let contestants = await startContestants(programs)
  try {
    for (let seed = from; seed < from + count; seed++) {
      const history = randomHistory(seed)
      let comparison: Comparison
      try {
        comparison = await compareSchedulers(contestants, history)
      } catch (error) {
        // A second failure of the same history ends the run.
        console.log(`${errorText(error)}: repeated with new processes`)
        restarts++
        await contestants[Symbol.asyncDispose]()
        contestants = await startContestants(programs)
        comparison = await compareSchedulers(contestants, history)
      }
      totals[comparison.verdict]++
      if (comparison.verdict === 'undecided' && comparison.neededFurtherRuns) furtherRuns++
      if (comparison.leftBehind.length > 0) totals.leftBehind++
      report(history, comparison)
    }
  } finally {
    await contestants[Symbol.asyncDispose]()
  }
  const seconds = ((performance.now() - startMs) / 1000).toFixed(0)
  const { equal, different, undecided, leftBehind } = totals
  console.log(
    `${count} histories: ${equal + different} count (${equal} equal, ${different} different), ${undecided} do not because kube-scheduler differs from itself (${furtherRuns} of them only in a further run). Berth left a pod behind that fits a node in ${leftBehind}. ${restarts} restarts. ${seconds} s.`,
  )
  return different + leftBehind === 0 ? 0 : 1
}

function report(history: History, { verdict, difference, leftBehind }: Comparison): void {
  if (verdict === 'different' && difference !== undefined) {
    console.log(
      [
        `seed ${history.seed} differs after step ${difference.step} (kube-scheduler / Berth):`,
        ...difference.pods.map((pod) => `  ${pod}`),
        ...history.steps.slice(0, difference.step + 1).map((step, index) => `  step ${index}: ${JSON.stringify(step)}`),
      ].join('\n'),
    )
  }
  for (const pod of leftBehind) console.log(`seed ${history.seed}: Berth left a pod behind that fits: ${pod}`)
}
