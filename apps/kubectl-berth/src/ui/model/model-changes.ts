import type { ModelChange, ResourceChange, UiAmounts, UiModel, UiResource } from './ui-model.ts'

/**
 * Returns the message that turns one model into the next: the changed cells, or the whole model when nodes or resources
 * came or went. Undefined when they show the same; the times may differ.
 */
export function changeBetween(
  before: UiModel,
  after: UiModel,
): { readonly kind: 'model'; readonly model: UiModel } | ModelChange | undefined {
  if (before === after) return undefined
  const isSameShape =
    areSame(before.nodes, after.nodes) &&
    areSame(
      before.resources.map(({ name }) => name),
      after.resources.map(({ name }) => name),
    )
  if (!isSameShape) return { kind: 'model', model: after }
  const resources = after.resources.flatMap((resource, i) => resourceChange(before.resources[i], resource, i) ?? [])
  const { timeMs, pendingCount, notes } = after
  const isSame = resources.length === 0 && before.pendingCount === pendingCount && areSame(before.notes, notes)
  return isSame ? undefined : { kind: 'change', timeMs, pendingCount, notes, resources }
}

/** Returns the model after a change of {@link changeBetween}. Resources that did not change stay the same objects. */
export function applyChange(model: UiModel, { timeMs, pendingCount, notes, resources: changes }: ModelChange): UiModel {
  const resources = [...model.resources]
  for (const { resource: index, total, largestBlock, cells: changed } of changes) {
    const resource = resources[index]
    if (resource === undefined) continue
    const cells = [...resource.cells]
    for (const [node, amounts] of changed) cells[node] = amounts
    resources[index] = { ...resource, total, largestBlock, cells }
  }
  return { ...model, timeMs, pendingCount, notes, resources }
}

function resourceChange(
  before: UiResource | undefined,
  { cells, total, largestBlock }: UiResource,
  resource: number,
): ResourceChange | undefined {
  const changed = cells.flatMap((amounts, node) =>
    areSame(before?.cells[node] ?? [], amounts ?? []) ? [] : [[node, amounts] as const],
  )
  // Totals follow from the cells.
  return changed.length === 0 ? undefined : { resource, total, largestBlock, cells: changed }
}

function areSame(
  a: UiAmounts | readonly string[] | readonly never[],
  b: UiAmounts | readonly string[] | readonly never[],
): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i])
}
