import type { Pod } from '@berth/types'
import { decide } from '../decide/decide.ts'
import { Cycle } from '../framework/cycle.ts'
import { runPreFilters } from '../framework/pre-filter.ts'
import type { EvictFix, NodeExplanation } from './explanation.ts'
import { type FixAttempt, cheapestVerified, type FixSearch } from './fix-search.ts'

/** Cost of one pod. A pod of equal priority, which preemption would not evict, costs more. */
const POD_COST = 10
const EQUAL_PRIORITY_COST = 20

/**
 * Proposes to evict pods of lower or equal priority that make room on some node, as few as preemption's reprieve finds.
 * Pods that a controller would create again are not proposed.
 */
export function evict(search: FixSearch): EvictFix | undefined {
  const { framework, table, pod, options, nodes } = search
  const cycle = new Cycle(framework, table, pod, options)
  const rows = table.rows.liveRows()
  if (runPreFilters(cycle, { rows, count: rows.length }).rejection !== undefined) return undefined
  const rejected = nodes.filter(({ verdict }) => verdict.kind === 'unschedulable')
  return cheapestVerified(rejected.flatMap((node) => evictionAttempt(search, cycle, node) ?? []))
}

/**
 * Returns whether another pod takes the place of the deleted one: a mirror pod, or a pod that a controller owns. Deleting
 * such a pod would not free its room for long.
 */
function isRecreated({ metadata }: Pod): boolean {
  const isMirror = metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined
  return isMirror || (metadata.ownerReferences ?? []).some(({ controller }) => controller === true)
}

function priorityOf(pod: Pod): number {
  return pod.spec.priority ?? 0
}

interface EvictionCandidate {
  readonly amount: bigint
  readonly priority: number
  readonly name: string
}

/**
 * Orders pods as they are added back: highest priority first, then smallest amount, then name, so that the result is
 * stable.
 */
function inReprieveOrder(a: EvictionCandidate, b: EvictionCandidate): number {
  if (a.priority !== b.priority) return b.priority - a.priority
  if (a.amount !== b.amount) return a.amount < b.amount ? -1 : 1
  return a.name < b.name ? -1 : 1
}

/**
 * Removes all candidates from the node in a dry run, then adds back each one beside which the pod still fits. Returns
 * the others; empty when the pod does not fit even without all candidates.
 */
function fewestVictims({ table, pod }: FixSearch, cycle: Cycle, explanation: NodeExplanation): readonly Pod[] {
  const row = table.rowOf(explanation.node) ?? 0
  const short = explanation.resources.filter(({ asks, free }) => asks > free)
  const held = (other: Pod): bigint =>
    short.reduce((sum, { resourceName }) => sum + table.requestOf(other, resourceName), 0n)
  const candidates = table
    .podsOn(row)
    .filter((other) => priorityOf(other) <= priorityOf(pod) && !isRecreated(other))
    .map((other) => ({ other, amount: held(other), priority: priorityOf(other), name: nameOf(other) }))
    .sort(inReprieveOrder)
    .map(({ other }) => other)
  if (candidates.length === 0) return []
  using dryRun = cycle.dryRun(row)
  for (const other of candidates) dryRun.remove(other)
  if (!cycle.fitsRow(row, [])) return []
  return candidates.filter((other) => {
    dryRun.add(other)
    if (cycle.fitsRow(row, [])) return false
    dryRun.remove(other)
    return true
  })
}

function nameOf({ metadata }: Pod): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`
}

function evictionAttempt(
  search: FixSearch,
  cycle: Cycle,
  explanation: NodeExplanation,
): FixAttempt<EvictFix> | undefined {
  const { framework, table, pod, options } = search
  const { node } = explanation
  const victims = fewestVictims(search, cycle, explanation)
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
      sentence: `Evict ${victims.map(nameOf).join(', ')} from node ${node}.`,
      verified: true,
    }
  }
  return { cost, node, verify }
}
