import type { ExtendedResourceNodes, LabelSelector } from '@berth/types'
import type { ResourceEntry } from '../config.ts'
import type { Declaration, NodeSelection, SourceAmount } from '../plan/declaration.ts'

/** Converts the configuration's `resources` to declarations. */
export function toDeclarations(resources: readonly ResourceEntry[]): readonly Declaration[] {
  return resources.map((entry, index) => ({
    path: `resources[${index}]`,
    origin: { kind: 'file' },
    resourceName: entry.name,
    nodes: toNodeSelection(entry.nodes),
    amount: entry.source === undefined ? { kind: 'units', units: BigInt(entry.units ?? 0) } : toAmount(entry.source),
  }))
}

/** Converts the nodes of an entry or of an object: names, or a selector, which selects every node by default. */
export function toNodeSelection({ names, selector = {} }: ExtendedResourceNodes): NodeSelection {
  return names === undefined
    ? { kind: 'selector', selector: toLabelSelector(selector) }
    : { kind: 'names', names: new Set(names) }
}

/** Converts a checked source. */
export function toAmount(source: {
  readonly plugin: string
  readonly args?: unknown
  readonly everySeconds: number
  readonly maxAgeSeconds: number
}): SourceAmount {
  return {
    kind: 'source',
    plugin: source.plugin,
    args: source.args,
    everyMs: source.everySeconds * 1_000,
    maxAgeMs: source.maxAgeSeconds * 1_000,
  }
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
