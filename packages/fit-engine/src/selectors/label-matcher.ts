import type { LabelSelector } from '@berth/types'
import { labelOf, type Labels } from './label-requirement.ts'
import { parseLabelSelector } from './label-selector.ts'

/** A parsed label selector that can be combined with another one. */
export interface LabelMatcher {
  /** `nothing` comes from an absent selector, `everything` from an empty one. */
  readonly kind: 'nothing' | 'everything' | 'some'
  readonly matches: (labels: Labels) => boolean
  /** A label (key and value) that every match has; absent when the selector requires no single label. */
  readonly requiredLabel?: readonly [string, string]
}

/** A matcher, or the reason why the selector is not valid. */
export type ParsedLabelMatcher =
  | { readonly kind: 'valid'; readonly matcher: LabelMatcher }
  | { readonly kind: 'invalid'; readonly problem: string }

const nothing: LabelMatcher = { kind: 'nothing', matches: () => false }
const everything: LabelMatcher = { kind: 'everything', matches: () => true }

/** Parses a label selector into a matcher. */
export function parseLabelMatcher(selector: LabelSelector | null | undefined): ParsedLabelMatcher {
  if (selector == null) return { kind: 'valid', matcher: nothing }
  const parsed = parseLabelSelector(selector)
  if (parsed.kind === 'invalid') return parsed
  if (parsed.isEmpty) return { kind: 'valid', matcher: everything }
  const plain = labelsMatcher(selector.matchLabels ?? {})
  const isPlain = (selector.matchExpressions ?? []).length === 0
  return { kind: 'valid', matcher: isPlain ? plain : { ...plain, kind: 'some', matches: parsed.matches } }
}

/** Returns a matcher of objects with all the required labels. Keys and values are not validated. */
export function labelsMatcher(required: Labels): LabelMatcher {
  const entries = Object.entries(required).map(([key, value]) => [key, value ?? ''] as const)
  if (entries.length === 0) return everything
  const [requiredLabel = ['', '']] = entries
  const [firstKey, firstValue] = requiredLabel
  const matches =
    entries.length === 1
      ? (labels: Labels): boolean => labelOf(labels, firstKey) === firstValue
      : (labels: Labels): boolean => entries.every(([key, value]) => labelOf(labels, key) === value)
  return { kind: 'some', requiredLabel, matches }
}

/** Adds the requirements of `more` to those of `matcher`. Only a matcher of kind `some` has requirements to add. */
export function addRequirements(more: LabelMatcher, matcher: LabelMatcher): LabelMatcher {
  if (more.kind !== 'some') return matcher
  if (matcher.kind === 'everything') return more
  const requiredLabel = matcher.requiredLabel ?? more.requiredLabel
  const matches = (labels: Labels): boolean => matcher.matches(labels) && more.matches(labels)
  return { kind: matcher.kind, matches, ...(requiredLabel && { requiredLabel }) }
}
