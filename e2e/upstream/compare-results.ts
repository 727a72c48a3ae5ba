import type { SpecResults } from './read-report.ts'

/** One spec in both runs. */
export interface ComparedSpec {
  readonly spec: string
  /** Whether Berth does as well as kube-scheduler, and the skip list is complete. */
  readonly isPassed: boolean
  /** The difference, or the entry that the skip list lacks. Empty if the spec passed. */
  readonly problem: string
}

/**
 * Compares the results of the two schedulers in the same cluster. A spec counts as passed if it passes with both. A spec
 * that does not pass with kube-scheduler proves nothing about Berth: it belongs on the skip list.
 *
 * @returns One entry for each spec of either run, sorted by its text.
 */
export function compareResults(kubeScheduler: SpecResults, berth: SpecResults): readonly ComparedSpec[] {
  const specs = [...new Set([...kubeScheduler.keys(), ...berth.keys()])].toSorted()
  return specs.map((spec) => {
    const problem = problemOf(kubeScheduler.get(spec), berth.get(spec))
    return { spec, isPassed: problem === '', problem }
  })
}

type SpecOutcome = ReturnType<SpecResults['get']>

function problemOf(kubeScheduler: SpecOutcome, berth: SpecOutcome): string {
  if (kubeScheduler?.state !== 'passed')
    return `with kube-scheduler: ${describe(kubeScheduler)}. Add the spec to the skip list with the reason`
  return berth?.state === 'passed' ? '' : `passes with kube-scheduler. With Berth: ${describe(berth)}`
}

function describe(outcome: SpecOutcome): string {
  if (outcome === undefined) return 'did not run'
  const [message = ''] = outcome.message.split('\n')
  return message === '' ? outcome.state : `${outcome.state} (${message.slice(0, 300)})`
}
