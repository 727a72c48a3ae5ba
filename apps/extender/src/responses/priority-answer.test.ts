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
