import { isLabelValue, type NodeSelectorRequirement, qualifiedNameProblem } from '@berth/types'

/** Labels of an object. */
export type Labels = Readonly<Record<string, string>>

/** A parsed requirement, or the reason why it is not valid. */
export type ParsedRequirement =
  | { readonly kind: 'valid'; readonly matches: (labels: Labels) => boolean }
  | { readonly kind: 'invalid'; readonly problem: string }

/**
 * Returns the label's value, or undefined when the object does not have the label. Keys are untrusted input, so only
 * own properties count. A null is an empty value, as in Go.
 */
export function labelOf(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? (labels[key] ?? '') : undefined
}

/** Parses a decimal int64 like Go's ParseInt. Returns undefined for any other text. */
function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]{1,64}$/.test(text)) return undefined
  const value = BigInt(text.replace('+', ''))
  return BigInt.asIntN(64, value) === value ? value : undefined
}

const invalid = (problem: string): ParsedRequirement => ({ kind: 'invalid', problem })
const valid = (matches: (labels: Labels) => boolean): ParsedRequirement => ({ kind: 'valid', matches })

function isIn(key: string, values: readonly string[]): (labels: Labels) => boolean {
  const allowed = new Set(values)
  return (labels) => {
    const value = labelOf(labels, key)
    return value !== undefined && allowed.has(value)
  }
}

function parseComparison(key: string, operator: 'Gt' | 'Lt', values: readonly string[]): ParsedRequirement {
  const bound = values.length === 1 ? parseInt64(values[0] ?? '') : undefined
  if (bound === undefined) return invalid(`operator ${operator} needs exactly one whole number as value`)
  return valid((labels) => {
    const text = labelOf(labels, key)
    const value = text === undefined ? undefined : parseInt64(text)
    if (value === undefined) return false
    return operator === 'Gt' ? value > bound : value < bound
  })
}

function parseOperator(key: string, operator: string, values: readonly string[]): ParsedRequirement {
  switch (operator) {
    case 'In':
    case 'NotIn': {
      if (values.length === 0) return invalid(`operator ${operator} needs at least one value`)
      const matches = isIn(key, values)
      return valid(operator === 'In' ? matches : (labels) => !matches(labels))
    }
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0) return invalid(`operator ${operator} takes no values`)
      return valid((labels) => Object.hasOwn(labels, key) === (operator === 'Exists'))
    case 'Gt':
    case 'Lt':
      return parseComparison(key, operator, values)
    default:
      return invalid(`"${operator}" is not a valid operator: use In, NotIn, Exists, DoesNotExist, Gt or Lt`)
  }
}

/**
 * Parses a requirement. A value that is not a valid label value makes the requirement invalid, whatever the operator.
 *
 * @see k8s.io/apimachinery pkg/labels/selector.go NewRequirement (v1.36)
 */
export function parseLabelRequirement(requirement: NodeSelectorRequirement): ParsedRequirement {
  const { operator } = requirement
  // A null counts as absent, as in Go.
  const key = requirement.key ?? ''
  const values = requirement.values ?? []
  const keyProblem = qualifiedNameProblem(key)
  if (keyProblem !== undefined) return invalid(`"${key}" is not a valid label key: ${keyProblem}`)
  const invalidValue = values.find((value) => !isLabelValue(value))
  if (invalidValue !== undefined) return invalid(`"${invalidValue}" is not a valid label value`)
  return parseOperator(key, operator, values)
}
