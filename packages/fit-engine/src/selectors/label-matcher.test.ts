import type { LabelSelector } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { labelsMatcher, parseLabelMatcher, addRequirements } from './label-matcher.ts'

const webLabels = { app: 'web', tier: 'front' }
const withLabels = (matchLabels: Record<string, string>): LabelSelector => ({ matchLabels })
const matcherOf = (selector: LabelSelector | undefined) => {
  const parsed = parseLabelMatcher(selector)
  if (parsed.kind === 'invalid') throw new Error(parsed.problem)
  return parsed.matcher
}

describe('label matcher', () => {
  test.for<{ it: string; selector: LabelSelector | undefined; kind: string; isMatch: boolean }>([
    { it: 'an absent selector selects nothing', selector: undefined, kind: 'nothing', isMatch: false },
    { it: 'an empty selector selects everything', selector: {}, kind: 'everything', isMatch: true },
    { it: 'matches an existing label', selector: withLabels({ app: 'web' }), kind: 'some', isMatch: true },
    { it: 'requires all labels', selector: withLabels({ app: 'web', tier: 'back' }), kind: 'some', isMatch: false },
    {
      it: 'requires labels and expressions',
      selector: { ...withLabels({ app: 'web' }), matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }] },
      kind: 'some',
      isMatch: false,
    },
  ])('$it', ({ selector, kind, isMatch }) => {
    const matcher = matcherOf(selector)
    expect(matcher.kind).toBe(kind)
    expect(matcher.matches(webLabels)).toBe(isMatch)
  })

  test.for([
    { it: 'an operator that only nodes have', selector: { matchExpressions: [{ key: 'a', operator: 'Gt' }] } },
    { it: 'a value that no label has', selector: withLabels({ app: 'not a value' }) },
  ])('refuses $it', ({ selector }) => {
    expect(parseLabelMatcher(selector).kind).toBe('invalid')
  })

  test.for([
    { it: 'both must match', first: withLabels({ app: 'web' }), more: { tier: 'back' }, kind: 'some', isMatch: false },
    { it: 'everything is narrowed down', first: {}, more: { tier: 'front' }, kind: 'some', isMatch: true },
    { it: 'nothing stays nothing', first: undefined, more: { tier: 'front' }, kind: 'nothing', isMatch: false },
    { it: 'an empty matcher adds nothing', first: withLabels({ app: 'web' }), more: {}, kind: 'some', isMatch: true },
  ])('combined: $it', ({ first, more, kind, isMatch }) => {
    const matcher = addRequirements(labelsMatcher(more), matcherOf(first))
    expect(matcher.kind).toBe(kind)
    expect(matcher.matches(webLabels)).toBe(isMatch)
  })

  test.for<{ it: string; selector: LabelSelector | undefined; more: Record<string, string>; requiredLabel: unknown }>([
    {
      it: 'its first label',
      selector: withLabels({ app: 'web', tier: 'front' }),
      more: {},
      requiredLabel: ['app', 'web'],
    },
    {
      it: 'a label next to expressions',
      selector: { ...withLabels({ app: 'web' }), matchExpressions: [{ key: 'tier', operator: 'Exists' }] },
      more: {},
      requiredLabel: ['app', 'web'],
    },
    {
      it: 'a label that was added',
      selector: { matchExpressions: [{ key: 'tier', operator: 'Exists' }] },
      more: { app: 'web' },
      requiredLabel: ['app', 'web'],
    },
    { it: 'undefined when no single label is required', selector: {}, more: {}, requiredLabel: undefined },
  ])('has as required label $it', ({ selector, more, requiredLabel }) => {
    expect(addRequirements(labelsMatcher(more), matcherOf(selector)).requiredLabel).toEqual(requiredLabel)
  })
})
