import type { Node } from '@berth/types'
import type { AddCapacityFix, NodeExplanation } from './explanation.ts'
import {
  type FixAttempt,
  cheapestVerified,
  feasibleAfter,
  type FixSearch,
  onlyLacksResources,
  share,
} from './fix-search.ts'
import { formatAmount } from './format-amount.ts'

/** Cost of adding an extended resource. It rises with the missing share of the request, up to twice this value. */
const SCALAR_COST = 100
/** The same for cpu, memory, storage or pods: a larger machine costs more than one more device. */
const NATIVE_COST = 1000

const nativeNames: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage', 'pods'])

interface Addition {
  readonly resourceName: string
  readonly amount: bigint
  readonly asks: bigint
}

/** Proposes to increase the capacity of some node by what the pod lacks there. */
export function addCapacity(search: FixSearch): AddCapacityFix | undefined {
  return cheapestVerified(
    search.nodes.filter(onlyLacksResources).flatMap((node) => additionAttempt(search, node) ?? []),
  )
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

function withAdditions({ status, ...node }: Node, additions: readonly Addition[], has: (name: string) => bigint): Node {
  const allocatable = Object.fromEntries(
    additions.map(({ resourceName, amount }) => {
      const total = has(resourceName) + amount
      return [resourceName, resourceName === 'cpu' ? `${total}m` : `${total}`]
    }),
  )
  return { ...node, status: { ...status, allocatable: { ...status?.allocatable, ...allocatable } } }
}

function additionAttempt(search: FixSearch, explanation: NodeExplanation): FixAttempt<AddCapacityFix> | undefined {
  const { table } = search
  const { node } = explanation
  const additions = additionsFor(search, explanation)
  if (additions.length === 0) return undefined
  const cost = additions.reduce((sum, addition) => sum + costOf(addition), 0)
  const verify = (): AddCapacityFix | undefined => {
    const row = table.rowOf(node) ?? 0
    const larger = withAdditions(table.node(row), additions, (name) => table.allocatable(row, name))
    if (!feasibleAfter(search, { node: larger }).includes(node)) return undefined
    const parts = additions.map(({ resourceName, amount }) => `${formatAmount(resourceName, amount)} ${resourceName}`)
    return {
      kind: 'add-capacity',
      node,
      additions: additions.map(({ resourceName, amount }) => ({ resourceName, amount })),
      cost,
      sentence: `Increase the capacity of node ${node} by ${parts.join(' and ')}.`,
      verified: true,
    }
  }
  return { cost, node, verify }
}
