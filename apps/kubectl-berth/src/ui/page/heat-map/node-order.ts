import type { UiAmounts, UiModel } from '../../model/ui-model.ts'

/** The order of the rows: by the name of the node, or by the requested share of a resource, the fullest first. */
export type RowOrder = { readonly by: 'name' } | { readonly by: 'share'; readonly resource: string }

/** Returns the indexes of the nodes whose names contain a text, in an order. */
export function nodeOrder(model: UiModel, search: string, order: RowOrder): readonly number[] {
  const wanted = search.trim().toLowerCase()
  const all = model.nodes.flatMap((name, i) => (name.toLowerCase().includes(wanted) ? i : []))
  if (order.by === 'name') return all
  const cells = model.resources.find(({ name }) => name === order.resource)?.cells ?? []
  const shares = cells.map(shareOf)
  return all.toSorted((a, b) => (shares[b] ?? -1) - (shares[a] ?? -1) || a - b)
}

/** Nodes without the resource come last. */
function shareOf(amounts: UiAmounts | null): number {
  if (amounts === null) return -1
  const [allocatable, requested] = amounts
  if (allocatable > 0) return requested / allocatable
  return requested > 0 ? Infinity : 0
}
