import assert from 'node:assert/strict'
import { BerthError, isRecord, type LabelSelector } from '@berth/types'
import { parseLabelMatcher } from '../../src/selectors/label-matcher.ts'
import { parseLabelSelector } from '../../src/selectors/label-selector.ts'

type Labels = Readonly<Record<string, string>>

/** A selector as the API server stores it, and labels. */
interface Question {
  readonly selector: LabelSelector
  readonly labels: Labels
}

class SelectorRefusal extends BerthError {
  constructor(reason: string) {
    super(`read selector: ${reason}`, { code: 'BERTH_FUZZ_SELECTOR' })
  }
}

export const contract: string =
  'The selector and the matcher made of it select the labels that a naive reading of the rules selects.'
export const refusals: readonly unknown[] = [SelectorRefusal]
export const dictionary: readonly string[] = [
  'matchLabels',
  'matchExpressions',
  'key',
  'operator',
  'values',
  'In',
  'NotIn',
  'Exists',
  'DoesNotExist',
  'Gt',
  'Lt',
  'labels',
  'selector',
  'app',
  'example.com/app',
]

export function parse(input: Uint8Array): Question {
  const question = readJson(Buffer.from(input).toString())
  if (!isQuestion(question)) throw new SelectorRefusal('no selector with labels')
  const parsed = parseLabelSelector(question.selector)
  if (parsed.kind === 'invalid') throw new SelectorRefusal(parsed.problem)
  return question
}

export function verify({ selector, labels }: Question): void {
  const parsed = parseLabelSelector(selector)
  const matcher = parseLabelMatcher(selector)
  assert.ok(parsed.kind === 'valid' && matcher.kind === 'valid')
  const expected = selects(selector, labels)
  assert.equal(parsed.matches(labels), expected)
  assert.equal(matcher.matcher.matches(labels), expected)
  const [key, value] = matcher.matcher.requiredLabel ?? []
  if (expected && key !== undefined) assert.equal(new Map(Object.entries(labels)).get(key), value)
}

/** The rules of LabelSelector, word by word. */
function selects({ matchLabels = {}, matchExpressions = [] }: LabelSelector, labels: Labels): boolean {
  const byKey = new Map(Object.entries(labels))
  return (
    Object.entries(matchLabels ?? {}).every(([key, value]) => byKey.get(key) === value) &&
    (matchExpressions ?? []).every(({ key, operator, values }) => {
      const isListed = byKey.has(key) && (values ?? []).includes(byKey.get(key) ?? '')
      if (operator === 'In') return isListed
      if (operator === 'NotIn') return !isListed
      return byKey.has(key) === (operator === 'Exists')
    })
  )
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new SelectorRefusal('not JSON')
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isOptional = (value: unknown, is: (given: unknown) => boolean): boolean => value == null || is(value)
const areTexts = (value: unknown): boolean => isRecord(value) && Object.values(value).every(isText)

function isQuestion(value: unknown): value is Question {
  if (!isRecord(value) || !isRecord(value['selector']) || !areTexts(value['labels'])) return false
  const { matchLabels, matchExpressions } = value['selector']
  return isOptional(matchLabels, areTexts) && isOptional(matchExpressions, areRequirements)
}

function areRequirements(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every(
      (entry) =>
        isRecord(entry) &&
        isText(entry['key']) &&
        isText(entry['operator']) &&
        isOptional(entry['values'], (values) => Array.isArray(values) && values.every(isText)),
    )
  )
}
