import { type DecidePlugin, type Pod, StatusCode } from '@berth/types'
import type { ClusterState } from '../state/cluster-state.ts'
import { tableOf } from '../state/create-cluster-state.ts'
import { decide } from '../decide/decide.ts'
import type { DecideOptions } from '../decide/decision.ts'
import { examineFilter, type FilterStatus } from '../framework/examine.ts'
import type { Framework } from '../framework/framework.ts'
import { PluginFailure } from '../framework/plugin-failure.ts'
import { verdicts } from '../decide/verdicts.ts'
import { addCapacity } from './add-capacity.ts'
import { explainCauses } from './explain-causes.ts'
import { evict } from './evict.ts'
import type { Explanation, FilterFinding, Fix } from './explanation.ts'
import type { FixSearch } from './fix-search.ts'
import { lowerRequest } from './lower-request.ts'
import { addLabels } from './rule-fixes/add-labels.ts'
import { removeTaints, uncordon } from './rule-fixes/open-node.ts'
import { relaxations } from './rule-fixes/relax-rule.ts'
import { tolerate } from './rule-fixes/tolerate.ts'
import { requestedAmounts, resourceUsage } from './resource-usage.ts'
import { explainVolumes } from './volumes/explain-volumes.ts'

/** Each returns the cheapest change of its kind that the engine confirms; undefined if there is none. */
const fixSearches: readonly ((search: FixSearch) => Fix | undefined)[] = [
  lowerRequest,
  tolerate,
  uncordon,
  addLabels,
  removeTaints,
  ...relaxations,
  evict,
  addCapacity,
]

/**
 * Explains for each node why the pod fits or does not, with amounts, and which smallest changes would make it fit.
 * Every change is verified: the engine decides again on the changed pod or on a changed fork of the state. When a
 * plugin fails, only `decision` has content.
 *
 * @param options - `nodeNames` limits the explanation to these nodes.
 */
export function explain(framework: Framework, state: ClusterState, pod: Pod, options: DecideOptions): Explanation {
  const table = tableOf(state)
  const decision = decide(framework, state, pod, { ...options, rejections: 'always' })
  if (decision.error !== undefined) return { decision, nodes: [], fixes: [], funnel: [] }
  const filters = framework.plugins.filter(
    ({ plugin }) => plugin.filter !== undefined || plugin.preFilter !== undefined,
  )
  const findings = findingsByNode(
    filters.map(({ plugin }) => plugin),
    state,
    pod,
    options,
  )
  const requests = requestedAmounts(pod)
  const volumeFindings = explainVolumes(pod, state.objects)
  const causesOf = explainCauses(framework, table, pod)
  const nodes = verdicts(decision).map((verdict) => {
    const { node } = verdict
    const row = table.rowOf(node)
    const resources = row === undefined ? [] : resourceUsage(table, row, requests)
    const nodeFilters = findings.get(node) ?? []
    const isRejected = row !== undefined && nodeFilters.some(isVolumeRejection)
    const volumes = isRejected ? volumeFindings(state.node(row)) : []
    const causes = row === undefined ? [] : causesOf(row, nodeFilters)
    return { node, verdict, filters: nodeFilters, causes, resources, volumes }
  })
  const search: FixSearch = { framework, table, pod, options, nodes }
  const fixes = decision.feasible.length > 0 ? [] : fixSearches.flatMap((find) => findFix(find, search) ?? [])
  return { decision, nodes, funnel: decision.funnel, fixes: fixes.sort((a, b) => a.cost - b.cost) }
}

function isVolumeRejection({ plugin, code }: FilterFinding): boolean {
  return (plugin === 'VolumeBinding' || plugin === 'VolumeZone') && code !== StatusCode.Success
}

/** Runs one search. A change on which a plugin fails is not a fix. */
function findFix(find: (search: FixSearch) => Fix | undefined, search: FixSearch): Fix | undefined {
  try {
    return find(search)
  } catch (error) {
    if (!(error instanceof PluginFailure)) throw error
    return undefined
  }
}

/**
 * Examines one filter alone. A filter may fail on nodes that earlier filters would have rejected. Its error is then the
 * finding for every node.
 */
function examineSafely(
  plugin: DecidePlugin,
  state: ClusterState,
  pod: Pod,
  options: DecideOptions,
): Iterable<readonly [node: string, status: FilterStatus]> {
  try {
    return examineFilter(plugin, state, pod, options).nodes
  } catch (error) {
    if (!(error instanceof PluginFailure)) throw error
    const broken = { code: StatusCode.Error, reasons: [error.message] }
    return state.nodeNames().map((node) => [node, broken] as const)
  }
}

function findingsByNode(
  plugins: readonly DecidePlugin[],
  state: ClusterState,
  pod: Pod,
  options: DecideOptions,
): ReadonlyMap<string, readonly FilterFinding[]> {
  const byNode = new Map<string, FilterFinding[]>()
  for (const plugin of plugins) {
    // Adjacent nodes mostly have equal findings, so they share one object.
    let last: FilterFinding | undefined
    for (const [node, { code, reasons }] of examineSafely(plugin, state, pod, options)) {
      if (last?.code !== code || last.reasons !== reasons) last = { plugin: plugin.name, code, reasons }
      const findings = byNode.get(node)
      if (findings === undefined) byNode.set(node, [last])
      else findings.push(last)
    }
  }
  return byNode
}
