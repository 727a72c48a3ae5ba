import type { Pod } from '@berth/types'
import { decide } from '../decide/decide.ts'
import { Cycle } from '../framework/cycle.ts'
import { runPreFilters } from '../framework/pre-filter.ts'
import type { EvictFix, NodeExplanation } from './explanation.ts'
import { type Attempt, cheapest, type FixSearch } from './fix-search.ts'

/** Each pod costs 10; one of equal priority, which preemption would not touch, 20. */
const POD_COST = 10
const EQUAL_PRIORITY_COST = 20

/** Proposes the fewest pods of lower or equal priority whose leaving makes room on some node. */
export function evict(search: FixSearch): EvictFix | undefined {
  const { framework, table, pod, options, nodes } = search
  const cycle = new Cycle(framework, table, pod, options)
  const rows = table.rows.liveRows()
  if (runPreFilters(cycle, { rows, count: rows.length }).refusal !== undefined) return undefined
  const curable = nodes.filter(({ verdict }) => verdict.kind === 'unschedulable')
  return cheapest(curable.flatMap((node) => attempt(search, cycle, node) ?? []))
}

/** It would come back at once. */
function returnsAtOnce({ metadata }: Pod): boolean {
  const isMirror = metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined
  return isMirror || (metadata.ownerReferences ?? []).some(({ kind }) => kind === 'DaemonSet')
}

function priorityOf(pod: Pod): number {
  return pod.spec.priority ?? 0
}

interface Worth {
  readonly amount: bigint
  readonly priority: number
  readonly name: string
}

/** The dearest and smallest first; equal ones by name, so that the order of updates does not matter. */
function byWorth(a: Worth, b: Worth): number {
  if (a.priority !== b.priority) return b.priority - a.priority
  if (a.amount !== b.amount) return a.amount < b.amount ? -1 : 1
  return a.name < b.name ? -1 : 1
}

/** Starts without all of them and lets them back, the dearest and smallest first, as long as the pod still fits. */
function victimsOn({ table, pod }: FixSearch, cycle: Cycle, explanation: NodeExplanation): readonly Pod[] {
  const row = table.rowOf(explanation.node) ?? 0
  const lacking = explanation.resources.filter(({ asks, free }) => asks > free)
  const held = (other: Pod): bigint =>
    lacking.reduce((sum, { resourceName }) => sum + table.requestOf(other, resourceName), 0n)
  const candidates = table
    .podsOn(row)
    .filter((other) => priorityOf(other) <= priorityOf(pod) && !returnsAtOnce(other))
    .map((other) => ({ other, amount: held(other), priority: priorityOf(other), name: nameOf(other) }))
    .sort(byWorth)
    .map(({ other }) => other)
  if (candidates.length === 0) return []
  using trial = cycle.trial(row)
  for (const other of candidates) trial.remove(other)
  if (!cycle.fitsRow(row, [])) return []
  return candidates.filter((other) => {
    trial.add(other)
    if (cycle.fitsRow(row, [])) return false
    trial.remove(other)
    return true
  })
}

function nameOf({ metadata }: Pod): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`
}

function attempt(search: FixSearch, cycle: Cycle, explanation: NodeExplanation): Attempt<EvictFix> | undefined {
  const { framework, table, pod, options } = search
  const { node } = explanation
  const victims = victimsOn(search, cycle, explanation)
  if (victims.length === 0) return undefined
  const cost = victims.reduce(
    (sum, victim) => sum + (priorityOf(victim) === priorityOf(pod) ? EQUAL_PRIORITY_COST : POD_COST),
    0,
  )
  const verify = (): EvictFix | undefined => {
    const changed = table.fork()
    for (const victim of victims) changed.deletePod(victim)
    const answer = decide(framework, changed, pod, { ...options, score: false, rejections: 'when-none-fits' })
    if (!answer.feasible.includes(node)) return undefined
    return {
      kind: 'evict',
      node,
      pods: victims.map(({ metadata, spec }) => ({
        namespace: metadata.namespace ?? '',
        name: metadata.name ?? '',
        uid: metadata.uid ?? '',
        priority: spec.priority ?? 0,
      })),
      cost,
      sentence: `Let ${victims.map(nameOf).join(', ')} leave node ${node}.`,
      verified: true,
    }
  }
  return { cost, node, verify }
}
