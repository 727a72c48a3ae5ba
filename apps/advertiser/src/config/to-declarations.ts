import type { ExtendedResourceNodes, LabelSelector } from '@berth/types'
import type { ResourceEntry } from '../config.ts'
import type { Declaration, NodeSelection } from '../plan/declaration.ts'
import { toSourceAmount } from '../sources/source-options.ts'

/** Converts the configuration's `resources` to declarations. */
export function toDeclarations(resources: readonly ResourceEntry[]): readonly Declaration[] {
  return resources.map((entry, index) => ({
    path: `resources[${index}]`,
    origin: { kind: 'file' },
    resourceName: entry.name,
    nodes: toNodeSelection(entry.nodes),
    amount:
      entry.source === undefined ? { kind: 'units', units: BigInt(entry.units ?? 0) } : toSourceAmount(entry.source),
  }))
}

/** Converts the nodes of an entry or of an object: names, or a selector, which selects every node by default. */
export function toNodeSelection({ names, selector = {} }: ExtendedResourceNodes): NodeSelection {
  return names === undefined
    ? { kind: 'selector', selector: toLabelSelector(selector) }
    : { kind: 'names', names: new Set(names) }
}

function toLabelSelector({
  matchLabels,
  matchExpressions,
}: NonNullable<ExtendedResourceNodes['selector']>): LabelSelector {
  return {
    ...(matchLabels !== undefined && { matchLabels }),
    ...(matchExpressions !== undefined && {
      matchExpressions: matchExpressions.map(({ key, operator, values }) => ({
        key,
        operator,
        ...(values !== undefined && { values }),
      })),
    }),
  }
}
