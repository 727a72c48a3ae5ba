import { examineFilter, examineScore } from '@berth/fit-engine'
import type { ClusterState, Decision, FilterExamination, FilterStatus, WeightedPlugin } from '@berth/fit-engine'
import { type DecidePlugin, type Pod, StatusCode } from '@berth/types'

/** Nothing in the vectors depends on time or chance. */
export const fixedInput: { readonly nowMs: number; readonly random: () => number } = { nowMs: 0, random: () => 0 }

/** Plugins whose PreFilter the real framework knows; those of Berth that need none answer as if they had one. */
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

/** Joined the kinds later: an answer names it only where it has a say. */
const NAMED_UNLESS_SKIPPED = 'NodeDeclaredFeatures'

/** Codes as the real framework writes them. */
export const codeNames: ReadonlyMap<StatusCode, string> = new Map(
  Object.entries(StatusCode).map(([name, code]) => [code, name]),
)

function shown({ code, reasons }: FilterStatus): { code: string; reasons: readonly string[] } {
  return { code: codeNames.get(code) ?? '', reasons: reasons.toSorted() }
}

/** A node may have a name that every object has from birth. */
function byNodeName<T>(): Record<string, T> {
  return Object.create(null) as Record<string, T>
}

const success = shown({ code: StatusCode.Success, reasons: [] })
const broken = shown({ code: StatusCode.Error, reasons: [] })

/** `preFilter` and `filters`: each plugin alone. */
export function filtersAlone(plugins: readonly WeightedPlugin[], state: ClusterState, pod: Pod): object {
  const preFilter: Record<string, unknown> = {}
  const filters = byNodeName<Record<string, unknown>>()
  for (const { plugin } of plugins) {
    const examination = examined(plugin, state, pod)
    if (examination === undefined) {
      preFilter[plugin.name] = broken
      for (const node of state.nodeNames()) (filters[node] ??= {})[plugin.name] = broken
      continue
    }
    if (plugin.name === NAMED_UNLESS_SKIPPED && isSkip(examination.preFilter)) continue
    if (WITH_PRE_FILTER.has(plugin.name)) preFilter[plugin.name] = shownPreFilter(examination.preFilter)
    for (const [node, status] of examination.nodes) (filters[node] ??= {})[plugin.name] = shown(status)
  }
  return { preFilter, filters }
}

/** Undefined when the plugin breaks: its status is Error then, for every node. */
function examined(plugin: DecidePlugin, state: ClusterState, pod: Pod): FilterExamination | undefined {
  try {
    return examineFilter(plugin, state, pod, fixedInput)
  } catch {
    return undefined
  }
}

function isSkip(result: FilterExamination['preFilter']): boolean {
  return result?.kind === 'skip'
}

function shownPreFilter(result: FilterExamination['preFilter']): object {
  if (result?.kind === 'skip') return { code: 'Skip', reasons: [] }
  if (result?.kind === 'reject') return shown(result)
  return result === undefined ? success : { ...success, nodeNames: [...result.nodeNames].toSorted() }
}

/** `combined`, `feasible` and `message`: what decide() itself finds. */
export function combinedStatuses(decision: Decision): object {
  const combined = byNodeName<unknown>()
  for (const node of decision.feasible) combined[node] = { ...success, filtered: true }
  for (const [node, { code, rejection }] of decision.rejected) {
    const { plugin, reasons } = rejection
    const isOutside = reasons.some((reason) => reason.startsWith("node(s) didn't satisfy plugin"))
    const isFiltered = decision.funnel.length > 0 && !isOutside
    combined[node] = { ...shown({ code, reasons }), filtered: isFiltered, ...(!isOutside && { plugin }) }
  }
  const feasible = decision.feasible.toSorted()
  return { combined, feasible, ...(feasible.length === 0 && { message: decision.message }) }
}

/**
 * `scores`, `totals`, `best` and `scoreError`: each scorer alone, and what decide() makes of them. `raw` is about every
 * node, or about those in `rawNodes`.
 */
export function scoresAlone(
  plugins: readonly WeightedPlugin[],
  state: ClusterState,
  pod: Pod,
  decision: Decision,
  rawNodes?: readonly string[],
): object {
  const { feasible } = combinedStatuses(decision) as { feasible: readonly string[] }
  const scores: Record<string, unknown> = {}
  const invalidScores: string[] = []
  const isRawWanted = (node: string): boolean => rawNodes?.includes(node) ?? true
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
          raw: Object.fromEntries(raw.entries().filter(([node]) => isRawWanted(node))),
          normalized: Object.fromEntries(normalized),
        }
    if (normalized.values().some((score) => score < 0 || score > 100)) invalidScores.push(plugin.name)
  }
  if (feasible.length === 0) return { scores }
  if (invalidScores.length > 0)
    return { scores, scoreError: { stage: 'Score', invalidScores: invalidScores.toSorted() } }
  return { scores, totals: Object.fromEntries(decision.totals), best: decision.best.toSorted() }
}
