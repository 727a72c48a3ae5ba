import assert from 'node:assert/strict'
import { parseFieldSelector } from '../../src/resources/selectors/field-selector.ts'
import { parseLabelSelector, type LabelMatcher } from '../../src/resources/selectors/label-selector.ts'
import { StatusError } from '../../src/index.ts'

const fields = new Map([
  ['metadata.name', () => 'a'],
  ['spec.nodeName', () => 'n'],
  ['status.phase', () => 'Running'],
])
const samples = [undefined, {}, { a: 'b' }, { a: '' }, { a: '7', b: '8' }]

export const contract: string =
  'Selectors of the query select the same objects alone and joined to a selector that selects everything.'
export const refusals: readonly unknown[] = [StatusError]
export const dictionary: readonly string[] = [
  'a',
  'b',
  'in',
  'notin',
  '(',
  ')',
  ',',
  '=',
  '==',
  '!=',
  '!',
  '>',
  '<',
  'metadata.name',
  'spec.nodeName',
  '\\,',
  '\n',
]

export function parse(input: Uint8Array): { readonly text: string; readonly matches: LabelMatcher } {
  const [text = '', field = ''] = Buffer.from(input).toString().split('\n', 2)
  const matches = parseLabelSelector(text)
  parseFieldSelector(field, fields)
  return { text, matches }
}

export function verify({ text, matches }: ReturnType<typeof parse>): void {
  const joined = parseLabelSelector(text.trim() === '' ? '!z' : `${text},!z`)
  for (const labels of samples) assert.equal(joined(labels), matches(labels))
}
