import { examineFilter, examineScore } from '@berth/fit-engine'
import type { ClusterState, Decision, FilterExamination, FilterStatus, WeightedPlugin } from '@berth/fit-engine'
import { type DecidePlugin, type Pod, StatusCode } from '@berth/types'

/** Constant time and randomness: no vector depends on them. */
export const fixedInput: { readonly nowMs: number; readonly random: () => number } = { nowMs: 0, random: () => 0 }

/** Plugins that have a PreFilter in the real framework, and therefore an entry in `preFilter`. */
const WITH_PRE_FILTER: ReadonlySet<string> = new Set([
  'NodeAffinity',
  'NodePorts',
  'NodeResourcesFit',
  'PodTopologySpread',
  'InterPodAffinity',
  'VolumeRestrictions',
  'NodeVolumeLimits',
  'VolumeBinding',
  'VolumeZone',
  'NodeDeclaredFeatures',
])

/** Added after the first vectors were recorded: an answer names this plugin only when it is not skipped. */
const OMITTED_WHEN_SKIPPED = 'NodeDeclaredFeatures'

/** Names of the status codes in the real framework. */
export const codeNames: ReadonlyMap<StatusCode, string> = new Map(
  Object.entries(StatusCode).map(([name, code]) => [code, name]),
)

function describeStatus({ code, reasons }: FilterStatus): { code: string; reasons: readonly string[] } {
  return { code: codeNames.get(code) ?? '', reasons: reasons.toSorted() }
}

/** Creates a record without a prototype, because a node may have a name such as `constructor`. */
export function byNodeName<T>(): Record<string, T> {
  return Object.create(null) as Record<string, T>
}

const success = describeStatus({ code: StatusCode.Success, reasons: [] })
const failed = describeStatus({ code: StatusCode.Error, reasons: [] })

/** Results of filters alone; `filters` has them by node, then by plugin. */
export interface FiltersAlone {
  readonly preFilter: Readonly<Record<string, unknown>>
  readonly filters: Readonly<Record<string, Readonly<Record<string, { readonly code: string }>>>>
}

/** Returns `preFilter` and `filters`: the result of each plugin alone. */
export function filtersAlone(plugins: readonly WeightedPlugin[], state: ClusterState, pod: Pod): FiltersAlone {
  const preFilter: Record<string, unknown> = {}
  const filters = byNodeName<Record<string, { readonly code: string }>>()
  for (const { plugin } of plugins) {
    const examination = examineOrFail(plugin, state, pod)
    if (examination === undefined) {
      preFilter[plugin.name] = failed
      for (const node of state.nodeNames()) (filters[node] ??= {})[plugin.name] = failed
      continue
    }
    if (plugin.name === OMITTED_WHEN_SKIPPED && isSkip(examination.preFilter)) continue
    if (WITH_PRE_FILTER.has(plugin.name)) preFilter[plugin.name] = describePreFilter(examination.preFilter)
    for (const [node, status] of examination.nodes) (filters[node] ??= {})[plugin.name] = describeStatus(status)
  }
  return { preFilter, filters }
}

/** Returns undefined when the plugin throws; its status is then Error on every node. */
function examineOrFail(plugin: DecidePlugin, state: ClusterState, pod: Pod): FilterExamination | undefined {
  try {
    return examineFilter(plugin, state, pod, fixedInput)
  } catch {
    return undefined
  }
}

function isSkip(result: FilterExamination['preFilter']): boolean {
  return result?.kind === 'skip'
}

function describePreFilter(result: FilterExamination['preFilter']): object {
  if (result?.kind === 'skip') return { code: 'Skip', reasons: [] }
  if (result?.kind === 'reject') return describeStatus(result)
  return result === undefined ? success : { ...success, nodeNames: [...result.nodeNames].toSorted() }
}

/** Returns `combined`, `feasible` and `message`: the result of `decide()`. */
export function combinedStatuses(decision: Decision): object {
  const combined = byNodeName<unknown>()
  for (const node of decision.feasible) combined[node] = { ...success, filtered: true }
  for (const [node, { code, rejection }] of decision.rejected) {
    const { plugin, reasons } = rejection
    const isOutside = reasons.some((reason) => reason.startsWith("node(s) didn't satisfy plugin"))
    const isFiltered = decision.funnel.length > 0 && !isOutside
    combined[node] = { ...describeStatus({ code, reasons }), filtered: isFiltered, ...(!isOutside && { plugin }) }
  }
  const feasible = decision.feasible.toSorted()
  return { combined, feasible, ...(feasible.length === 0 && { message: decision.message }) }
}

/**
 * Returns `scores`, `totals`, `best` and `scoreError`: the scores of each plugin alone, and the totals of `decide()`.
 * `raw` covers the nodes in `rawNodes`.
 */
export function scoresAlone(
  plugins: readonly WeightedPlugin[],
  state: ClusterState,
  pod: Pod,
  decision: Decision,
  rawNodes: readonly string[],
): object {
  const { feasible } = combinedStatuses(decision) as { feasible: readonly string[] }
  const scores: Record<string, unknown> = {}
  const invalidScores: string[] = []
  const includesRaw = (node: string): boolean => rawNodes.includes(node)
  for (const { plugin, weight } of plugins) {
    let examination: ReturnType<typeof examineScore>
    try {
      examination = examineScore(plugin, state, pod, { ...fixedInput, feasible })
    } catch {
      return { scoreError: { stage: 'PreScore' } }
    }
    const { isSkipped, raw, normalized } = examination
    scores[plugin.name] = isSkipped
      ? { skipped: true, weight }
      : {
          skipped: false,
          weight,
          raw: Object.fromEntries(raw.entries().filter(([node]) => includesRaw(node))),
          normalized: Object.fromEntries(normalized),
        }
    if (normalized.values().some((score) => score < 0 || score > 100)) invalidScores.push(plugin.name)
  }
  if (feasible.length === 0) return { scores }
  if (invalidScores.length > 0)
    return { scores, scoreError: { stage: 'Score', invalidScores: invalidScores.toSorted() } }
  return { scores, totals: Object.fromEntries(decision.totals), best: decision.best.toSorted() }
}

/** Returns the extension point that failed, from the message of a decision. */
export function stageOf(message: string): string {
  return message.startsWith('running PreFilter plugin') ? 'PreFilter' : 'Filter'
}
