import { expect, test } from 'vitest'
import { JsonBytes } from './json-bytes.ts'
import { PriorityAnswer } from './priority-answer.ts'

function textOf(answer: PriorityAnswer): string {
  const json = new JsonBytes(Buffer.alloc(1))
  answer.writeTo(json)
  return json.written().toString('utf8')
}

test('the bytes of a prioritize response are the JSON of its list', () => {
  const names = ['node-1', 'a"b', 'ü', 'node-2']
  const answer = new PriorityAnswer(
    names,
    names.map(({ length }) => length),
  )
  expect(textOf(answer)).toBe(JSON.stringify(answer))
  expect(answer.toJSON()).toEqual(names.map((Host) => ({ Host, Score: Host.length })))
})

test.for([
  { it: 'no node', names: [], scores: [] },
  { it: 'one node', names: ['node-1'], scores: [3] },
  { it: 'nodes that score alike', names: ['node-1', 'node-2', 'node-3'], scores: [10, 10, 10] },
])('the response for $it is an empty list, and the scores are kept', ({ names, scores }) => {
  for (const hasPlainNames of [false, true]) {
    const answer = new PriorityAnswer(names, scores, hasPlainNames)
    expect(textOf(answer)).toBe('[]')
    expect(JSON.stringify(answer)).toBe('[]')
    expect(answer.scores).toEqual(scores)
  }
})

test.for([0, 1, 2, 255, 256, 257, 512, 513])(
  'a response with %i plain names has the same bytes as one whose names may need escapes',
  (count) => {
    const names = Array.from({ length: count }, (_, i) => `node-${i}`)
    const scores = Float64Array.from(names, (_, i) => i % 11)
    const [plain, checked] = [true, false].map((hasPlainNames) =>
      textOf(new PriorityAnswer(names, scores, hasPlainNames)),
    )
    expect(plain).toBe(checked)
  },
)
