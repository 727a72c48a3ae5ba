import type { LabelSelector } from '@berth/types'
import { own } from '../json/json-object.ts'
import { badRequest } from '../refusal/refusals.ts'

/** Whether an object's labels are selected. */
export type LabelTest = (labels: Readonly<Record<string, string>> | undefined) => boolean

/**
 * Reads the `labelSelector` parameter: `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b)`, `a`, `!a`, joined by commas.
 *
 * @throws BERTH_SIMULATOR_REFUSED (400) where the text is no selector.
 */
export function parseLabelSelector(text: string): LabelTest {
  const tests = splitOutsideParentheses(text).map(parseRequirement)
  return (labels) => tests.every((test) => test(labels))
}

function splitOutsideParentheses(text: string): readonly string[] {
  return text
    .split(/,(?![^(]*\))/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

function parseRequirement(text: string): LabelTest {
  const set = /^([^\s!=(),]+)\s+(in|notin)\s*\(([^()]*)\)$/.exec(text)
  if (set !== null) {
    const [, key = '', operator, list = ''] = set
    const values = list.split(',').map((value) => value.trim())
    return requirement(key, operator === 'in' ? 'In' : 'NotIn', values)
  }
  const comparison = /^([^\s!=(),]+)\s*(==|=|!=)\s*([^\s!=(),]*)$/.exec(text)
  if (comparison !== null) {
    const [, key = '', operator, value = ''] = comparison
    return requirement(key, operator === '!=' ? 'NotIn' : 'In', [value])
  }
  const presence = /^(!?)\s*([^\s!=(),]+)$/.exec(text)
  if (presence === null) throw badRequest(`unable to parse requirement: found '${text}', expected: a label selector`)
  const [, negation, key = ''] = presence
  return requirement(key, negation === '!' ? 'DoesNotExist' : 'Exists', [])
}

function requirement(key: string, operator: string, values: readonly string[]): LabelTest {
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
      default:
        return false
    }
  }
}

/** Reads a selector object. Absent selects nothing, empty selects everything. */
export function labelTest(selector: LabelSelector | undefined): LabelTest {
  if (selector === undefined) return () => false
  const tests = [
    ...Object.entries(selector.matchLabels ?? {}).map(([key, value]) => requirement(key, 'In', [value])),
    ...(selector.matchExpressions ?? []).map(({ key, operator, values }) => requirement(key, operator, values ?? [])),
  ]
  return (labels) => tests.every((test) => test(labels))
}
