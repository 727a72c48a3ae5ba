import type { LabelSelector } from '@berth/types'
import { labelOf, type Labels } from './label-requirement.ts'
import { parseLabelSelector } from './label-selector.ts'

/** A selector ready to be asked; two can be combined. */
export interface LabelMatcher {
  /** `nothing` comes from an absent selector, `everything` from an empty one. */
  readonly kind: 'nothing' | 'everything' | 'some'
  readonly matches: (labels: Labels) => boolean
  /** A label, key and value, without which nothing matches; absent where no single one is known. */
  readonly requiredLabel?: readonly [string, string]
}

/** A matcher, or why there is none. */
export type ParsedLabelMatcher =
  | { readonly kind: 'valid'; readonly matcher: LabelMatcher }
  | { readonly kind: 'invalid'; readonly problem: string }

const nothing: LabelMatcher = { kind: 'nothing', matches: () => false }
const everything: LabelMatcher = { kind: 'everything', matches: () => true }

/** Makes a selector ready to be asked. */
export function parseLabelMatcher(selector: LabelSelector | null | undefined): ParsedLabelMatcher {
  if (selector == null) return { kind: 'valid', matcher: nothing }
  const parsed = parseLabelSelector(selector)
  if (parsed.kind === 'invalid') return parsed
  if (parsed.isEmpty) return { kind: 'valid', matcher: everything }
  const plain = labelsMatcher(selector.matchLabels ?? {})
  const isPlain = (selector.matchExpressions ?? []).length === 0
  return { kind: 'valid', matcher: isPlain ? plain : { ...plain, kind: 'some', matches: parsed.matches } }
}

/** Selects labels that hold each of `wanted`; everything where nothing is wanted. Keys and values are not checked. */
export function labelsMatcher(wanted: Labels): LabelMatcher {
  const entries = Object.entries(wanted).map(([key, value]) => [key, value ?? ''] as const)
  if (entries.length === 0) return everything
  const [anchor = ['', '']] = entries
  const [onlyKey, onlyValue] = anchor
  if (entries.length === 1)
    return { kind: 'some', requiredLabel: anchor, matches: (labels) => labelOf(labels, onlyKey) === onlyValue }
  return {
    kind: 'some',
    requiredLabel: anchor,
    matches: (labels) => entries.every(([key, value]) => labelOf(labels, key) === value),
  }
}

/** Adds the requirements of `more` to those of `matcher`; a matcher of nothing has no requirements to give. */
export function withRequirementsOf(more: LabelMatcher, matcher: LabelMatcher): LabelMatcher {
  if (more.kind !== 'some') return matcher
  if (matcher.kind === 'everything') return more
  const anchor = matcher.requiredLabel ?? more.requiredLabel
  const matches = (labels: Labels): boolean => matcher.matches(labels) && more.matches(labels)
  return { kind: matcher.kind, matches, ...(anchor && { requiredLabel: anchor }) }
}
