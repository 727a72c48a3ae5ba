import type { LabelSelector } from '@berth/types'
import { own } from '../../schema/json/json-object.ts'
import { badRequest } from '../../schema/status/api-errors.ts'
import { qualifiedName } from '../../schema/name-rules.ts'
import { tokenizeSelector, type SelectorToken, type SelectorTokens } from './label-selector-tokens.ts'

/** Returns whether a selector matches the labels of an object. */
export type LabelMatcher = (labels: Readonly<Record<string, string>> | undefined) => boolean

/**
 * Parses the `labelSelector` parameter: `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b)`, `a>1`, `a<1`, `a`, `!a`,
 * joined by commas. Errors have the wording of k8s.io/apimachinery labels.Parse (v0.36).
 *
 * @throws BERTH_SIMULATOR_REFUSED (400) if the text is not a selector.
 */
export function parseLabelSelector(text: string): LabelMatcher {
  const tokens = tokenizeSelector(text)
  const tests: LabelMatcher[] = []
  while (tokens.peek().kind !== 'end') {
    if (!startsRequirement(tokens.peek())) {
      throw badRequest(
        tests.length === 0
          ? `found '${tokens.peek().text}', expected: !, identifier, or 'end of string'`
          : `found '${tokens.peek().text}', expected: identifier after ','`,
      )
    }
    tests.push(readRequirement(tokens))
    const next = tokens.take()
    if (next.kind === 'end') break
    if (next.text !== ',') throw badRequest(`found '${next.text}', expected: ',' or 'end of string'`)
    if (tokens.peek().kind === 'end') throw badRequest("found '', expected: identifier after ','")
  }
  return (labels) => tests.every((test) => test(labels))
}

function startsRequirement({ kind, text }: SelectorToken): boolean {
  return kind === 'word' || text === '!'
}

function readRequirement(tokens: SelectorTokens): LabelMatcher {
  const isNegated = tokens.peek().text === '!'
  if (isNegated) tokens.take()
  const key = tokens.take()
  if (key.kind !== 'word') throw cannotParse(`found '${key.text}', expected: identifier`)
  requireKey(key.text)
  if (isNegated) return requirementMatcher(key.text, 'DoesNotExist', [])
  if (endsRequirement(tokens.peek())) return requirementMatcher(key.text, 'Exists', [])
  const { text } = tokens.take()
  switch (text) {
    case 'in':
      return requirementMatcher(key.text, 'In', readValues(tokens))
    case 'notin':
      return requirementMatcher(key.text, 'NotIn', readValues(tokens))
    case '=':
    case '==':
      return requirementMatcher(key.text, 'In', [readValue(tokens)])
    case '!=':
      return requirementMatcher(key.text, 'NotIn', [readValue(tokens)])
    case '>':
    case '<':
      return requirementMatcher(key.text, text === '>' ? 'Gt' : 'Lt', [readInteger(tokens)])
    default:
      throw cannotParse(`found '${text}', expected: in, notin, =, ==, !=, gt, lt`)
  }
}

function endsRequirement({ kind, text }: SelectorToken): boolean {
  return kind === 'end' || text === ','
}

function readValue(tokens: SelectorTokens): string {
  if (endsRequirement(tokens.peek())) return ''
  const { kind, text } = tokens.take()
  if (kind === 'word') return text
  throw cannotParse(`found '${text}', expected: identifier`)
}

function readInteger(tokens: SelectorTokens): string {
  const value = readValue(tokens)
  if (/^-?\d+$/.test(value)) return value
  throw cannotParse(
    `values[0]: Invalid value: ${JSON.stringify(value)}: for 'Gt', 'Lt' operators, the value must be an integer`,
  )
}

// Reads words between commas. A missing word is the empty value.
function readValues(tokens: SelectorTokens): readonly string[] {
  const open = tokens.take()
  if (open.text !== '(') throw cannotParse(`found '${open.text}' expected: '('`)
  const values: string[] = []
  for (;;) {
    values.push(tokens.peek().kind === 'word' ? tokens.take().text : '')
    const { text } = tokens.take()
    if (text === ')') return values
    if (text !== ',') throw cannotParse(`found '${text}', expected: ',' or ')'`)
  }
}

function cannotParse(why: string): Error {
  return badRequest(`unable to parse requirement: ${why}`)
}

function requireKey(key: string): void {
  const problems = qualifiedName(key)
  if (problems.length === 0) return
  throw cannotParse(`<nil>: Invalid value: ${JSON.stringify(key)}: ${problems.join('; ')}`)
}

function requirementMatcher(key: string, operator: string, values: readonly string[]): LabelMatcher {
  return (labels) => {
    const value = own(labels, key)
    switch (operator) {
      case 'In':
        return typeof value === 'string' && values.includes(value)
      case 'NotIn':
        return typeof value !== 'string' || !values.includes(value)
      case 'Exists':
        return value !== undefined
      case 'DoesNotExist':
        return value === undefined
      case 'Gt':
      case 'Lt':
        return exceedsBound(value, operator, values[0] ?? '')
      default:
        return false
    }
  }
}

function exceedsBound(value: unknown, operator: 'Gt' | 'Lt', bound: string): boolean {
  if (typeof value !== 'string' || !/^-?\d+$/.test(value)) return false
  return operator === 'Gt' ? BigInt(value) > BigInt(bound) : BigInt(value) < BigInt(bound)
}

/** Returns a matcher for a selector object. A missing selector matches nothing, an empty one everything. */
export function labelMatcher(selector: LabelSelector | undefined): LabelMatcher {
  if (selector === undefined) return () => false
  const tests = [
    ...Object.entries(selector.matchLabels ?? {}).map(([key, value]) => requirementMatcher(key, 'In', [value])),
    ...(selector.matchExpressions ?? []).map(({ key, operator, values }) =>
      requirementMatcher(key, operator, values ?? []),
    ),
  ]
  return (labels) => tests.every((test) => test(labels))
}
