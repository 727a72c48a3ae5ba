import { type CommandDefinition, commandLineOrExit } from '@berth/process/command'
import { errorText } from '@berth/text/error-text'
import { buildOracle } from '../build-oracle.ts'
import { buildKubeScheduler } from './build-kube-scheduler.ts'
import { type Comparison, compareSchedulers } from './compare-schedulers.ts'
import type { History } from './history.ts'
import { randomHistory } from './random-history.ts'
import { startContestants } from './start-contestants.ts'
import { Totals } from './totals.ts'

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
    'A history counts only if two runs of kube-scheduler agree, one of which breaks ties of scores at random, as Berth does. Exits with 1 if a history that counts differs, if Berth leaves a pod behind that fits a node, or if a history fails twice.',
  ],
}

/**
 * Runs the command. Prints the totals also when it fails.
 *
 * @returns The exit code: 1 if Berth differs or leaves a pod behind, or if a history failed twice.
 * @throws Error when the processes cannot be started.
 */
export async function runSchedulersCommand(argv: readonly string[]): Promise<number> {
  const line = commandLineOrExit(command, argv)
  const from = line.number('from') ?? 1
  const count = line.number('seeds') ?? 20
  const startMs = performance.now()
  const totals = new Totals()
  const programs = { program: buildKubeScheduler(), oracle: buildOracle() }
  let contestants = await startContestants(programs)
  const compare = async (history: History): Promise<Comparison | undefined> => {
    for (const next of ['repeated', 'left out']) {
      try {
        return await compareSchedulers(contestants, history)
      } catch (error) {
        console.log(`${errorText(error)}: ${next} with new processes`)
        totals.restarts++
        await contestants[Symbol.asyncDispose]()
        contestants = await startContestants(programs)
      }
    }
    return undefined
  }
  try {
    for (let seed = from; seed < from + count; seed++) {
      const history = randomHistory(seed)
      const comparison = await compare(history)
      if (comparison === undefined) totals.addFailure(seed)
      else {
        totals.add(seed, comparison)
        report(history, comparison)
      }
    }
  } finally {
    console.log(totals.summary((performance.now() - startMs) / 1000))
    await contestants[Symbol.asyncDispose]()
  }
  return totals.hasFindings ? 1 : 0
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
  } else if (verdict === 'undecided' && difference !== undefined) {
    console.log(`seed ${history.seed} does not count: runs of kube-scheduler differ after step ${difference.step}`)
  }
  for (const pod of leftBehind) console.log(`seed ${history.seed}: Berth left a pod behind that fits: ${pod}`)
}
