import type { LabelSelector } from '@berth/types'
import { type Labels, parseLabelRequirement } from './label-requirement.ts'

/** A parsed label selector, or the reason why it is not valid. */
export type ParsedLabelSelector =
  | {
      readonly kind: 'valid'
      /** Whether it has no requirement and selects everything. An absent selector is not empty: it selects nothing. */
      readonly isEmpty: boolean
      readonly matches: (labels: Labels | undefined) => boolean
    }
  | { readonly kind: 'invalid'; readonly problem: string }

const OPERATORS: ReadonlySet<string> = new Set(['In', 'NotIn', 'Exists', 'DoesNotExist'])
const noLabels: Labels = {}

/**
 * Parses a label selector.
 *
 * @see k8s.io/apimachinery pkg/apis/meta/v1/helpers.go LabelSelectorAsSelector (v1.36)
 */
export function parseLabelSelector(selector: LabelSelector | undefined | null): ParsedLabelSelector {
  if (selector === undefined || selector === null) return { kind: 'valid', isEmpty: false, matches: () => false }
  const labels = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => ({
    key,
    operator: 'In',
    values: [value ?? ''],
  }))
  const tests: ((labels: Labels) => boolean)[] = []
  for (const requirement of [...labels, ...(selector.matchExpressions ?? [])]) {
    const { operator } = requirement
    if (!OPERATORS.has(operator)) {
      return { kind: 'invalid', problem: `"${operator}" is not a valid label selector operator` }
    }
    const parsed = parseLabelRequirement(requirement)
    if (parsed.kind === 'invalid') return parsed
    tests.push(parsed.matches)
  }
  return {
    kind: 'valid',
    isEmpty: tests.length === 0,
    matches: (candidate) => tests.every((matches) => matches(candidate ?? noLabels)),
  }
}
