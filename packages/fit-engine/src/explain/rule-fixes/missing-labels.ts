import type { Node, NodeSelectorRequirement, NodeSelectorTerm, Pod } from '@berth/types'
import { labelOf, parseLabelRequirement } from '../../selectors/label-requirement.ts'
import { isEmptyTerm, termsOf } from '../../selectors/node-selector-term.ts'

type NewLabels = Readonly<Record<string, string>>

/**
 * Returns the labels that the node lacks for the pod's nodeSelector and its required node affinity. Of several terms,
 * the one with the fewest missing labels counts. Undefined when adding or changing labels cannot satisfy the pod.
 */
export function missingLabels({ spec }: Pod, node: Node): NewLabels | undefined {
  const labels = node.metadata.labels ?? {}
  const selected: NewLabels = Object.fromEntries(
    Object.entries(spec.nodeSelector ?? {}).filter(([key, value]) => labelOf(labels, key) !== (value ?? '')),
  )
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  if (required == null) return selected
  const choices = termsOf(required).flatMap((term): readonly NewLabels[] => {
    const needed = labelsForTerm(term, { ...labels, ...selected })
    return needed === undefined ? [] : [needed]
  })
  const [fewest] = choices.toSorted((a, b) => Object.keys(a).length - Object.keys(b).length)
  return fewest === undefined ? undefined : { ...selected, ...fewest }
}

function labelsForTerm(term: NodeSelectorTerm, labels: NewLabels): NewLabels | undefined {
  if (isEmptyTerm(term) || (term.matchFields ?? []).length > 0) return undefined
  const needed: Record<string, string> = {}
  for (const requirement of term.matchExpressions ?? []) {
    const parsed = parseLabelRequirement(requirement)
    if (parsed.kind === 'invalid') return undefined
    if (parsed.matches(labels)) continue
    const value = valueFor(requirement)
    if (value === undefined) return undefined
    needed[requirement.key] = value
  }
  return needed
}

/** Returns a label value for In or Exists. Undefined for other operators: no value is proposed for them. */
function valueFor({ operator, values }: NodeSelectorRequirement): string | undefined {
  if (operator === 'In') return values?.[0]
  return operator === 'Exists' ? '' : undefined
}
