/** How a spec ended. */
export type SpecState = 'passed' | 'failed' | 'skipped'

/** Results of the specs that a run selected, by the full text of the spec. */
export type SpecResults = ReadonlyMap<string, SpecResult>

/** The result of one spec. */
export interface SpecResult {
  readonly state: SpecState
  /** Why it failed, or why it skipped itself. Empty if it passed. */
  readonly message: string
  readonly seconds: number
}

/** Ginkgo's JSON report, with the fields that {@link readReport} reads. */
export interface GinkgoSuiteReport {
  readonly SpecReports: readonly {
    readonly ContainerHierarchyTexts: readonly string[] | null
    readonly LeafNodeText: string
    readonly LeafNodeType: string
    readonly State: string
    readonly RunTime: number
    readonly Failure?: { readonly Message?: string; readonly ForwardedPanic?: string }
  }[]
}

/**
 * Returns the results of the specs that ran, or that skipped themselves while they ran. Specs that the filters left out
 * are not in the result.
 *
 * @throws Error when a node other than a spec failed, for example the setup of the suite.
 */
export function readReport(suites: readonly GinkgoSuiteReport[]): SpecResults {
  const results = new Map<string, SpecResult>()
  for (const spec of suites.flatMap(({ SpecReports }) => SpecReports)) {
    const text = [...(spec.ContainerHierarchyTexts ?? []), spec.LeafNodeText].filter((part) => part !== '').join(' ')
    const message = [spec.Failure?.Message, spec.Failure?.ForwardedPanic].filter(Boolean).join(' ')
    if (spec.LeafNodeType !== 'It') {
      if (stateOf(spec.State) === 'failed') throw new Error(`${spec.LeafNodeType} ${text}: ${message}`)
      continue
    }
    // Ginkgo also reports the specs that the filters left out as skipped, but without a message.
    if (spec.State === 'pending' || (spec.State === 'skipped' && message === '')) continue
    results.set(text, { state: stateOf(spec.State), message, seconds: spec.RunTime / 1e9 })
  }
  return results
}

/** Ginkgo's other states are kinds of failures: panicked, interrupted, aborted, timedout. */
function stateOf(state: string): SpecState {
  return state === 'passed' || state === 'skipped' ? state : 'failed'
}
