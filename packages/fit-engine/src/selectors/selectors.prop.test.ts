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
function matchesNaively(
  requirementUnderTest: NodeSelectorRequirement,
  objectLabels: Readonly<Record<string, string>>,
): boolean | undefined {
  if (parseLabelRequirement(requirementUnderTest).kind === 'invalid') return undefined
  const { values = [] } = requirementUnderTest
  const own = new Map(Object.entries(objectLabels)).get(requirementUnderTest.key)
  switch (requirementUnderTest.operator) {
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
      return requirementUnderTest.operator === 'Gt' ? number > bound : number < bound
    }
  }
}

test('a requirement matches like the naive rule, or has a reason why it is not valid', () => {
  fc.assert(
    fc.property(requirement, labels, (requirementUnderTest, objectLabels) => {
      const parsed = parseLabelRequirement(requirementUnderTest)
      const isRight =
        parsed.kind === 'invalid'
          ? parsed.problem !== ''
          : parsed.matches(objectLabels) === matchesNaively(requirementUnderTest, objectLabels)
      expect(isRight).toBe(true)
    }),
    { numRuns: 3000 },
  )
})

test('a label selector matches when all its requirements match, and so does its matcher', () => {
  fc.assert(
    fc.property(labelSelector, labels, (selector, objectLabels) => {
      const plain = Object.entries(selector.matchLabels ?? {}).map(([k, v]) => ({
        key: k,
        operator: 'In',
        values: [v],
      }))
      const all = [...plain, ...(selector.matchExpressions ?? [])]
      const answers = all.map((each) =>
        ['Gt', 'Lt'].includes(each.operator) ? undefined : matchesNaively(each, objectLabels),
      )
      const [parsed, matcher] = [parseLabelSelector(selector), parseLabelMatcher(selector)]
      const isSelected = parsed.kind === 'valid' && parsed.matches(objectLabels)
      expect([matcher.kind, parsed.kind === 'valid' ? parsed.isEmpty : answers.includes(undefined)]).toEqual([
        parsed.kind,
        parsed.kind === 'invalid' || all.length === 0,
      ])
      expect(isSelected).toBe(parsed.kind === 'valid' && answers.every((each) => each === true))
      expect(matcher.kind === 'valid' && matcher.matcher.matches(objectLabels)).toBe(isSelected)
      // Everything that the selector matches has the required label.
      const required = matcher.kind === 'valid' ? matcher.matcher.requiredLabel : undefined
      const hasRequired =
        required === undefined || new Map(Object.entries(objectLabels)).get(required[0]) === required[1]
      expect(hasRequired || !isSelected).toBe(true)
    }),
    { numRuns: 3000 },
  )
})

test('a node selector matches a node when one of its terms does, whatever the terms contain', () => {
  fc.assert(
    fc.property(nodeSelector, labels, value, (selector, objectLabels, name) => {
      const matches = nodeSelectorMatcher(selector)({ metadata: { name, labels: objectLabels } })
      const alone = selector.nodeSelectorTerms.map((term) =>
        nodeSelectorMatcher({ nodeSelectorTerms: [term] })({ metadata: { name, labels: objectLabels } }),
      )
      expect(matches).toBe(alone.includes(true))
      const areAllInvalid = selector.nodeSelectorTerms.every(
        (term) => nodeSelectorProblem({ nodeSelectorTerms: [term] }) !== undefined,
      )
      expect(areAllInvalid && matches).toBe(false)
    }),
    { numRuns: 2000 },
  )
})
