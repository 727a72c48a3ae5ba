import type { LabelSelector, NodeSelector, NodeSelectorRequirement } from '@berth/types'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseLabelMatcher } from './label-matcher.ts'
import { parseLabelRequirement } from './label-requirement.ts'
import { parseLabelSelector } from './label-selector.ts'
import { nodeSelectorMatcher, nodeSelectorProblem } from './node-selector.ts'

const key = fc.oneof(
  fc.constantFrom('a', 'b', 'example.com/a', '__proto__', 'constructor', '', 'a/b/c', '-a'),
  fc.string({ unit: 'binary', maxLength: 8 }),
)
const value = fc.oneof(
  fc.constantFrom('x', 'y', '', '7', '12', '+7', '-6', '9223372036854775808', 'x'.repeat(64), '__proto__', ' x'),
  fc.string({ unit: 'binary', maxLength: 8 }),
)
const operator = fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt', 'Near', '', '__proto__')
const requirement: fc.Arbitrary<NodeSelectorRequirement> = fc.record(
  { key, operator, values: fc.array(value, { maxLength: 3 }) },
  { requiredKeys: ['key', 'operator'] },
)
const labels = fc.dictionary(key, value, { maxKeys: 4 })
const labelSelector: fc.Arbitrary<LabelSelector> = fc.record(
  { matchLabels: labels, matchExpressions: fc.array(requirement, { maxLength: 3 }) },
  { requiredKeys: [] },
)
const nodeSelector: fc.Arbitrary<NodeSelector> = fc.record({
  nodeSelectorTerms: fc.array(
    fc.record(
      {
        matchExpressions: fc.array(requirement, { maxLength: 2 }),
        matchFields: fc.array(requirement, { maxLength: 2 }),
      },
      { requiredKeys: [] },
    ),
    { maxLength: 3 },
  ),
})

/** Evaluates one requirement in the simplest way; undefined for one that is not valid. */
function holdsNaively(asked: NodeSelectorRequirement, carried: Readonly<Record<string, string>>): boolean | undefined {
  if (parseLabelRequirement(asked).kind === 'invalid') return undefined
  const { values = [] } = asked
  const own = new Map(Object.entries(carried)).get(asked.key)
  switch (asked.operator) {
    case 'In':
      return own !== undefined && values.includes(own)
    case 'NotIn':
      return own === undefined || !values.includes(own)
    case 'Exists':
      return own !== undefined
    case 'DoesNotExist':
      return own === undefined
    default: {
      if (own === undefined || !/^[+-]?[0-9]+$/.test(own)) return false
      const [number, bound] = [BigInt(own.replace('+', '')), BigInt(values[0]?.replace('+', '') ?? '')]
      if (BigInt.asIntN(64, number) !== number) return false
      return asked.operator === 'Gt' ? number > bound : number < bound
    }
  }
}

test('a requirement matches like the naive rule, or has a reason why it is not valid', () => {
  fc.assert(
    fc.property(requirement, labels, (asked, carried) => {
      const parsed = parseLabelRequirement(asked)
      const isRight =
        parsed.kind === 'invalid' ? parsed.problem !== '' : parsed.matches(carried) === holdsNaively(asked, carried)
      expect(isRight).toBe(true)
    }),
    { numRuns: 3000 },
  )
})

test('a label selector matches when all its requirements match, and so does its matcher', () => {
  fc.assert(
    fc.property(labelSelector, labels, (selector, carried) => {
      const plain = Object.entries(selector.matchLabels ?? {}).map(([k, v]) => ({
        key: k,
        operator: 'In',
        values: [v],
      }))
      const all = [...plain, ...(selector.matchExpressions ?? [])]
      const answers = all.map((each) =>
        ['Gt', 'Lt'].includes(each.operator) ? undefined : holdsNaively(each, carried),
      )
      const [parsed, matcher] = [parseLabelSelector(selector), parseLabelMatcher(selector)]
      const isSelected = parsed.kind === 'valid' && parsed.matches(carried)
      expect([matcher.kind, parsed.kind === 'valid' ? parsed.isEmpty : answers.includes(undefined)]).toEqual([
        parsed.kind,
        parsed.kind === 'invalid' || all.length === 0,
      ])
      expect(isSelected).toBe(parsed.kind === 'valid' && answers.every((each) => each === true))
      expect(matcher.kind === 'valid' && matcher.matcher.matches(carried)).toBe(isSelected)
      // Everything that the selector matches has the required label.
      const required = matcher.kind === 'valid' ? matcher.matcher.requiredLabel : undefined
      const hasRequired = required === undefined || new Map(Object.entries(carried)).get(required[0]) === required[1]
      expect(hasRequired || !isSelected).toBe(true)
    }),
    { numRuns: 3000 },
  )
})

test('a node selector matches a node when one of its terms does, whatever the terms contain', () => {
  fc.assert(
    fc.property(nodeSelector, labels, value, (selector, carried, name) => {
      const matches = nodeSelectorMatcher(selector)({ metadata: { name, labels: carried } })
      const alone = selector.nodeSelectorTerms.map((term) =>
        nodeSelectorMatcher({ nodeSelectorTerms: [term] })({ metadata: { name, labels: carried } }),
      )
      expect(matches).toBe(alone.includes(true))
      const areAllWrong = selector.nodeSelectorTerms.every(
        (term) => nodeSelectorProblem({ nodeSelectorTerms: [term] }) !== undefined,
      )
      expect(areAllWrong && matches).toBe(false)
    }),
    { numRuns: 2000 },
  )
})
