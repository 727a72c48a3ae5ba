import type { Node } from '@berth/types'
import { decide } from '../decide/decide.ts'
import type { AddCapacityFix, NodeExplanation } from './explanation.ts'
import { type Attempt, cheapest, type FixSearch, onlyLacksResources, share } from './fix-search.ts'
import { formatAmount } from './format-amount.ts'

/** Each extended resource costs 100 and up to 100 more, by the share of the request that is missing. */
const SCALAR_COST = 100
/** A bigger machine is dearer than one more device. */
const NATIVE_COST = 1000

const nativeNames: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage', 'pods'])

interface Addition {
  readonly resourceName: string
  readonly amount: bigint
  readonly asks: bigint
}

/** Proposes to let some node offer as much more as the pod lacks there. */
export function addCapacity(search: FixSearch): AddCapacityFix | undefined {
  return cheapest(search.nodes.filter(onlyLacksResources).flatMap((node) => attempt(search, node) ?? []))
}

function additionsFor({ table }: FixSearch, { node, resources }: NodeExplanation): readonly Addition[] {
  const row = table.rowOf(node) ?? 0
  const freePods = table.allocatable(row, 'pods') - table.requested(row, 'pods')
  const pods = freePods < 1n ? [{ resourceName: 'pods', amount: 1n - freePods, asks: 1n }] : []
  const short = resources.filter(({ asks, free }) => asks > free)
  return [...pods, ...short.map(({ resourceName, asks, free }) => ({ resourceName, amount: asks - free, asks }))]
}

function costOf({ resourceName, amount, asks }: Addition): number {
  return (nativeNames.has(resourceName) ? NATIVE_COST : SCALAR_COST) * (1 + share(amount, asks))
}

function withMore({ status, ...node }: Node, additions: readonly Addition[], has: (name: string) => bigint): Node {
  const allocatable = Object.fromEntries(
    additions.map(({ resourceName, amount }) => {
      const total = has(resourceName) + amount
      return [resourceName, resourceName === 'cpu' ? `${total}m` : `${total}`]
    }),
  )
  return { ...node, status: { ...status, allocatable: { ...status?.allocatable, ...allocatable } } }
}

function attempt(search: FixSearch, explanation: NodeExplanation): Attempt<AddCapacityFix> | undefined {
  const { framework, table, pod, options } = search
  const { node } = explanation
  const additions = additionsFor(search, explanation)
  if (additions.length === 0) return undefined
  const cost = additions.reduce((sum, addition) => sum + costOf(addition), 0)
  const verify = (): AddCapacityFix | undefined => {
    const row = table.rowOf(node) ?? 0
    const changed = table.fork()
    changed.setNode(withMore(table.node(row), additions, (name) => table.allocatable(row, name)))
    const answer = decide(framework, changed, pod, { ...options, score: false, rejections: 'when-none-fits' })
    if (!answer.feasible.includes(node)) return undefined
    const parts = additions.map(
      ({ resourceName, amount }) => `${formatAmount(resourceName, amount)} more ${resourceName}`,
    )
    return {
      kind: 'add-capacity',
      node,
      additions: additions.map(({ resourceName, amount }) => ({ resourceName, amount })),
      cost,
      sentence: `Let node ${node} offer ${parts.join(' and ')}.`,
      verified: true,
    }
  }
  return { cost, node, verify }
}
