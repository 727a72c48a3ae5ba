import type { LabelSelector } from '@berth/types'
import type { ResourceEntry } from '../config.ts'
import type { Declaration } from '../plan/declaration.ts'
import { toSourceAmount } from '../sources/source-options.ts'

/** Converts the configuration's `resources` to declarations. */
export function toDeclarations(resources: readonly ResourceEntry[]): readonly Declaration[] {
  return resources.map((entry, index) => ({
    path: `resources[${index}]`,
    resourceName: entry.name,
    nodes:
      entry.nodes.names === undefined
        ? { kind: 'selector', selector: toLabelSelector(entry) }
        : { kind: 'names', names: new Set(entry.nodes.names) },
    amount:
      entry.source === undefined ? { kind: 'units', units: BigInt(entry.units ?? 0) } : toSourceAmount(entry.source),
  }))
}

function toLabelSelector({ nodes: { selector = {} } }: ResourceEntry): LabelSelector {
  const { matchLabels, matchExpressions } = selector
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
