import type { LabelSelector } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { labelsMatcher, parseLabelMatcher, withRequirementsOf } from './label-matcher.ts'

const web = { app: 'web', tier: 'front' }
const named = (matchLabels: Record<string, string>): LabelSelector => ({ matchLabels })
const matcherOf = (selector: LabelSelector | undefined) => {
  const parsed = parseLabelMatcher(selector)
  if (parsed.kind === 'invalid') throw new Error(parsed.problem)
  return parsed.matcher
}

describe('a label matcher', () => {
  test.for<{ it: string; selector: LabelSelector | undefined; kind: string; isMatch: boolean }>([
    { it: 'an absent selector selects nothing', selector: undefined, kind: 'nothing', isMatch: false },
    { it: 'an empty one selects everything', selector: {}, kind: 'everything', isMatch: true },
    { it: 'a label that is there', selector: named({ app: 'web' }), kind: 'some', isMatch: true },
    { it: 'all labels must be there', selector: named({ app: 'web', tier: 'back' }), kind: 'some', isMatch: false },
    {
      it: 'an expression beside labels',
      selector: { ...named({ app: 'web' }), matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }] },
      kind: 'some',
      isMatch: false,
    },
  ])('$it', ({ selector, kind, isMatch }) => {
    const matcher = matcherOf(selector)
    expect(matcher.kind).toBe(kind)
    expect(matcher.matches(web)).toBe(isMatch)
  })

  test.for([
    { it: 'an operator that only nodes have', selector: { matchExpressions: [{ key: 'a', operator: 'Gt' }] } },
    { it: 'a value that no label has', selector: named({ app: 'not a value' }) },
  ])('refuses $it', ({ selector }) => {
    expect(parseLabelMatcher(selector).kind).toBe('invalid')
  })

  test.for([
    { it: 'both must hold', first: named({ app: 'web' }), more: { tier: 'back' }, kind: 'some', isMatch: false },
    { it: 'everything gives way', first: {}, more: { tier: 'front' }, kind: 'some', isMatch: true },
    { it: 'nothing stays nothing', first: undefined, more: { tier: 'front' }, kind: 'nothing', isMatch: false },
    { it: 'no requirements add nothing', first: named({ app: 'web' }), more: {}, kind: 'some', isMatch: true },
  ])('combined: $it', ({ first, more, kind, isMatch }) => {
    const matcher = withRequirementsOf(labelsMatcher(more), matcherOf(first))
    expect(matcher.kind).toBe(kind)
    expect(matcher.matches(web)).toBe(isMatch)
  })

  test.for<{ it: string; selector: LabelSelector | undefined; more: Record<string, string>; anchor: unknown }>([
    { it: 'its first label', selector: named({ app: 'web', tier: 'front' }), more: {}, anchor: ['app', 'web'] },
    {
      it: 'a label beside expressions',
      selector: { ...named({ app: 'web' }), matchExpressions: [{ key: 'tier', operator: 'Exists' }] },
      more: {},
      anchor: ['app', 'web'],
    },
    {
      it: 'a label that was added',
      selector: { matchExpressions: [{ key: 'tier', operator: 'Exists' }] },
      more: { app: 'web' },
      anchor: ['app', 'web'],
    },
    { it: 'nothing, where no single label is needed', selector: {}, more: {}, anchor: undefined },
  ])('is anchored to $it', ({ selector, more, anchor }) => {
    expect(withRequirementsOf(labelsMatcher(more), matcherOf(selector)).requiredLabel).toEqual(anchor)
  })
})
