import type { Node } from '@berth/types'
import { expect, test } from 'vitest'
import { FilterAnswer } from './filter-answer.ts'
import { JsonBytes } from './json-bytes.ts'
import type { WritesJson } from './response-buffers.ts'

function textOf(answer: WritesJson): string {
  const bytes = new JsonBytes(Buffer.alloc(1))
  answer.writeTo(bytes)
  return bytes.written().toString('utf8')
}

test.for<[string, string[], string[]]>([
  ['no node', [], []],
  ['names of nodes', ['node-a', 'node-b.example.com', '10.0.0.1'], ['node_c']],
  ['names that JSON escapes', ['a"b', ',', '","', 'a\\', '', 'ü\n', '__proto__', 'node-a'], ['"', 'b']],
])('the text equals the maps of reasons: %s', ([, failed, unresolvable]) => {
  const reason = 'Insufficient "example.com/dongle", node is\nfull'
  const groups = (names: readonly string[]) => (names.length === 0 ? [] : [{ reason, nodeNames: names }])
  const other = { reason: 'other', nodeNames: ['last'] }
  const answer = new FilterAnswer(
    { passed: ['free', 'x"y'], failed: [...groups(failed), other], unresolvable: groups(unresolvable) },
    null,
  )
  const text = textOf(answer)
  const { FailedNodes, FailedAndUnresolvableNodes } = answer
  expect(text).toBe(
    JSON.stringify({ Nodes: null, NodeNames: ['free', 'x"y'], FailedNodes, FailedAndUnresolvableNodes, Error: '' }),
  )
  expect(Object.entries(FailedNodes)).toEqual([...failed.map((name) => [name, reason]), ['last', 'other']])
  expect(answer.rejectedCounts()).toEqual({ failed: failed.length + 1, unresolvable: unresolvable.length })
})

test('a call with whole nodes is answered with whole nodes', () => {
  const node: Node = { metadata: { name: 'free' } }
  const answer = new FilterAnswer({ passed: ['free'], failed: [], unresolvable: [] }, { metadata: {}, items: [node] })
  expect(JSON.parse(textOf(answer))).toEqual({
    Nodes: { metadata: {}, items: [node] },
    NodeNames: null,
    FailedNodes: {},
    FailedAndUnresolvableNodes: {},
    Error: '',
  })
})

test.for([0, 1, 2, 511, 512, 513, 1_025])(
  'a response with %i plain names in each list has the same bytes as one whose names may need escapes',
  (count) => {
    const namesOf = (list: string): readonly string[] => Array.from({ length: count }, (_, i) => `${list}-${i}`)
    const groups = ['a "quoted" reason', 'größer'].map((reason) => ({ reason, nodeNames: namesOf(reason.slice(0, 1)) }))
    const verdicts = { passed: namesOf('free'), failed: groups, unresolvable: groups.toReversed() }
    const [plain, checked] = [true, false].map((hasPlainNames) =>
      textOf(new FilterAnswer(verdicts, null, hasPlainNames)),
    )
    expect(plain).toBe(checked)
  },
)
