import { expect, test } from 'vitest'
import { JsonBytes } from './json-bytes.ts'
import { PriorityAnswer } from './priority-answer.ts'

test.for([[[]], [['node-1']], [['node-1', 'a"b', 'ü', 'node-2']]] as const)(
  'the bytes of a prioritize response are the JSON of its list: %j',
  ([names]) => {
    const answer = new PriorityAnswer(
      names,
      names.map(({ length }) => length),
    )
    const json = new JsonBytes(Buffer.alloc(1))
    answer.writeTo(json)
    expect(json.written().toString('utf8')).toBe(JSON.stringify(answer))
    expect(answer.toJSON()).toEqual(names.map((Host) => ({ Host, Score: Host.length })))
  },
)

test.for([0, 1, 2, 255, 256, 257, 512, 513])(
  'a response with %i plain names has the same bytes as one whose names may need escapes',
  (count) => {
    const names = Array.from({ length: count }, (_, i) => `node-${i}`)
    const scores = Float64Array.from(names, (_, i) => i % 11)
    const [plain, checked] = [true, false].map((hasPlainNames) => {
      const json = new JsonBytes(Buffer.alloc(1))
      new PriorityAnswer(names, scores, hasPlainNames).writeTo(json)
      return json.written().toString('utf8')
    })
    expect(plain).toBe(checked)
  },
)
