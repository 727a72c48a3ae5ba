import { type Candidates, StatusCode } from '@berth/types'
import type { Cycle, RejectionStatus } from './cycle.ts'
import { PluginFailure } from './plugin-failure.ts'

/** Result of {@link runPreFilters}. */
export interface PreFilterOutcome {
  /** Set when no node can fit. */
  readonly rejection?: RejectionStatus
  /** The only nodes that can fit; absent: all. */
  readonly allowedNodes?: ReadonlySet<string>
  /** Names of the plugins that limited the nodes, sorted. */
  readonly restrictedBy: readonly string[]
}

/**
 * Runs preFilter of every plugin and marks the filters to skip. After a rejection that preemption may resolve the
 * remaining plugins still run; one that it cannot resolve ends the pass.
 *
 * @throws PluginFailure when a plugin rejects with a code that is not a verdict on nodes.
 * @see kubernetes/kubernetes pkg/scheduler/framework/runtime/framework.go RunPreFilterPlugins (v1.36)
 */
export function runPreFilters(cycle: Cycle, candidates: Candidates): PreFilterOutcome {
  let rejection: RejectionStatus | undefined
  let allowedNodes: ReadonlySet<string> | undefined
  const restrictedBy: string[] = []
  for (const entry of cycle.plugins) {
    const { plugin, context } = entry
    if (plugin.preFilter === undefined) continue
    const result = cycle.run(plugin.name, 'PreFilter', () => plugin.preFilter?.(cycle.pod, candidates, context))
    if (result?.kind !== 'skip') cycle.countEvaluations(plugin.name, 'PreFilter', 1)
    if (result === undefined) continue
    if (result.kind === 'skip') {
      entry.isFilterSkipped = true
    } else if (result.kind === 'reject') {
      if (!isNodeVerdict(result.code)) {
        const reasons = result.reasons.join(', ') || `it returned code ${result.code}`
        throw new PluginFailure(plugin.name, 'PreFilter', `running PreFilter plugin "${plugin.name}": ${reasons}`)
      }
      rejection = { plugin: plugin.name, code: result.code, reasons: result.reasons }
      if (result.code === StatusCode.UnschedulableAndUnresolvable) return { rejection, restrictedBy }
    } else {
      restrictedBy.push(plugin.name)
      allowedNodes = allowedNodes?.intersection(result.nodeNames) ?? result.nodeNames
      if (allowedNodes.size === 0) return { rejection: noNodesLeft(restrictedBy), restrictedBy }
    }
  }
  restrictedBy.sort()
  return { restrictedBy, ...(rejection && { rejection }), ...(allowedNodes && { allowedNodes }) }
}

/** Returns whether the code is a verdict on nodes. Any other code fails the attempt. */
function isNodeVerdict(code: StatusCode): boolean {
  return code === StatusCode.Unschedulable || code === StatusCode.UnschedulableAndUnresolvable
}

function noNodesLeft(restrictedBy: readonly string[]): RejectionStatus {
  const [only, ...others] = restrictedBy.toSorted()
  const restrictors =
    others.length === 0 ? `plugin ${only}` : `plugin(s) [${[only, ...others].join(' ')}] simultaneously`
  return {
    plugin: '',
    code: StatusCode.UnschedulableAndUnresolvable,
    reasons: [`node(s) didn't satisfy ${restrictors}`],
  }
}
