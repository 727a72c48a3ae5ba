import { qualifiedNameProblem } from '@berth/resources'
import type { NodeSelectorRequirement } from '@berth/types'

/** Labels of an object. */
export type Labels = Readonly<Record<string, string>>

/** A requirement that can be asked of labels, or why it cannot. */
export type ParsedRequirement =
  | { readonly kind: 'valid'; readonly matches: (labels: Labels) => boolean }
  | { readonly kind: 'invalid'; readonly problem: string }

const LABEL_VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/

/**
 * The label's value; undefined when the object does not carry it. Keys are clients' words, so only own ones count. A
 * null is an empty value, as Go reads it.
 */
export function labelOf(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? (labels[key] ?? '') : undefined
}

/** Reads a decimal int64 as Go's ParseInt does; undefined when the text is none. */
function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]{1,64}$/.test(text)) return undefined
  const value = BigInt(text.replace('+', ''))
  return BigInt.asIntN(64, value) === value ? value : undefined
}

const invalid = (problem: string): ParsedRequirement => ({ kind: 'invalid', problem })
const valid = (matches: (labels: Labels) => boolean): ParsedRequirement => ({ kind: 'valid', matches })

function isIn(key: string, values: readonly string[]): (labels: Labels) => boolean {
  const wanted = new Set(values)
  return (labels) => {
    const value = labelOf(labels, key)
    return value !== undefined && wanted.has(value)
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
      return invalid(`"${operator}" is no operator; there are In, NotIn, Exists, DoesNotExist, Gt and Lt`)
  }
}

/**
 * Makes a requirement ready to be asked. A value that no label can have makes it invalid, whatever the operator.
 *
 * @see k8s.io/apimachinery pkg/labels/selector.go NewRequirement (v1.36)
 */
export function parseLabelRequirement(requirement: NodeSelectorRequirement): ParsedRequirement {
  const { operator } = requirement
  // Nulls are what is absent, as Go reads them.
  const key = requirement.key ?? ''
  const values = requirement.values ?? []
  const keyProblem = qualifiedNameProblem(key)
  if (keyProblem !== undefined) return invalid(`"${key}" is no label key: ${keyProblem}`)
  const strange = values.find((value) => !LABEL_VALUE.test(value))
  if (strange !== undefined) return invalid(`"${strange}" is no label value`)
  return parseOperator(key, operator, values)
}
