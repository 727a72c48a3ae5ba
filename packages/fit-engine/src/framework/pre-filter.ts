import { type Candidates, StatusCode } from '@berth/types'
import type { Cycle, Refusal } from './cycle.ts'
import { PluginFailure } from './plugin-failure.ts'

/** Answer of {@link runPreFilters}. */
export interface PreFilterOutcome {
  /** Set when no node can fit. */
  readonly refusal?: Refusal
  /** The only nodes to look at; absent: all. */
  readonly narrowed?: ReadonlySet<string>
  /** Who narrowed, sorted by name. */
  readonly narrowedBy: readonly string[]
}

/**
 * Runs preFilter of every plugin and marks the skipped ones. A refusal that preemption may cure does not keep the
 * others from running; one that it cannot cure ends the pass.
 *
 * @throws PluginFailure when a plugin rejects with a code that is no verdict.
 * @see kubernetes/kubernetes pkg/scheduler/framework/runtime/framework.go RunPreFilterPlugins (v1.36)
 */
export function runPreFilters(cycle: Cycle, candidates: Candidates): PreFilterOutcome {
  let refusal: Refusal | undefined
  let narrowed: ReadonlySet<string> | undefined
  const narrowedBy: string[] = []
  for (const participant of cycle.participants) {
    const { plugin, context } = participant
    if (plugin.preFilter === undefined) continue
    const result = cycle.run(plugin.name, 'PreFilter', () => plugin.preFilter?.(cycle.pod, candidates, context))
    if (result === undefined) continue
    if (result.kind === 'skip') {
      participant.isFilterSkipped = true
    } else if (result.kind === 'reject') {
      if (!isVerdict(result.code)) {
        const reasons = result.reasons.join(', ') || `it answered with code ${result.code}`
        throw new PluginFailure(plugin.name, `running PreFilter plugin "${plugin.name}": ${reasons}`)
      }
      refusal = { plugin: plugin.name, code: result.code, reasons: result.reasons }
      if (result.code === StatusCode.UnschedulableAndUnresolvable) return { refusal, narrowedBy }
    } else {
      narrowedBy.push(plugin.name)
      narrowed = narrowed?.intersection(result.nodeNames) ?? result.nodeNames
      if (narrowed.size === 0) return { refusal: nothingLeft(narrowedBy), narrowedBy }
    }
  }
  narrowedBy.sort()
  return { narrowedBy, ...(refusal && { refusal }), ...(narrowed && { narrowed }) }
}

/** Whether the code says something of nodes; any other breaks the attempt. */
function isVerdict(code: StatusCode): boolean {
  return code === StatusCode.Unschedulable || code === StatusCode.UnschedulableAndUnresolvable
}

function nothingLeft(narrowedBy: readonly string[]): Refusal {
  const [only, ...others] = narrowedBy.toSorted()
  const who = others.length === 0 ? `plugin ${only}` : `plugin(s) [${[only, ...others].join(' ')}] simultaneously`
  return {
    plugin: '',
    code: StatusCode.UnschedulableAndUnresolvable,
    reasons: [`node(s) didn't satisfy ${who}`],
  }
}
