import { StatusCode } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { readBindResponse, readFilterResponse, readPrioritizeResponse } from './extender-response.ts'

const asked = ['a', 'b', 'c']
const read = (answer: unknown, nodeCacheCapable = true): ReturnType<typeof readFilterResponse> =>
  readFilterResponse(typeof answer === 'string' ? answer : JSON.stringify(answer), asked, {
    url: 'http://x',
    nodeCacheCapable,
  })

describe('readFilterResponse', () => {
  test.for([
    { it: 'node names', answer: { NodeNames: ['b', 'a'] }, passed: ['b', 'a'] },
    { it: 'keys in any case', answer: { nodenames: ['a'] }, passed: ['a'] },
    { it: 'the exact key before another spelling', answer: { nodenames: ['a'], NodeNames: ['b'] }, passed: ['b'] },
    { it: 'a duplicate name', answer: { NodeNames: ['a', 'a'] }, passed: ['a'] },
    {
      it: 'nodes when names are missing',
      answer: { Nodes: { items: [{ metadata: { name: 'c' } }] } },
      passed: ['c'],
    },
    { it: 'unknown fields', answer: { NodeNames: ['a'], Extra: { deep: 1 } }, passed: ['a'] },
    { it: 'an empty object as no node', answer: {}, passed: [] },
    { it: 'null as no node', answer: 'null', passed: [] },
    {
      it: 'null fields as missing',
      answer: { NodeNames: null, Nodes: null, FailedNodes: null, Error: null },
      passed: [],
    },
  ])('reads $it', ({ answer, passed }) => {
    expect(read(answer).passed).toEqual(passed)
  })

  test('ignores names from an extender that is not nodeCacheCapable', () => {
    expect(read({ NodeNames: ['a'] }, false).passed).toEqual([])
  })

  test('returns a code and a reason for every node that did not pass', () => {
    const { failed } = read({
      NodeNames: [],
      FailedNodes: { a: 'full', b: 'full' },
      FailedAndUnresolvableNodes: { b: 'no such card' },
    })
    expect(Object.fromEntries(failed)).toEqual({
      a: { code: StatusCode.Unschedulable, reason: 'full' },
      b: { code: StatusCode.UnschedulableAndUnresolvable, reason: 'no such card' },
      c: {
        code: StatusCode.UnschedulableAndUnresolvable,
        reason: 'node(s) were rejected without a reason by extender http://x',
      },
    })
  })

  test.for([
    { it: 'an empty body', answer: ' ', says: 'EOF' },
    { it: 'a truncated object', answer: '{"NodeNames":', says: 'JSON' },
    { it: 'a number for names', answer: { NodeNames: 5 }, says: 'NodeNames' },
    { it: 'a reason that is not a string', answer: { FailedNodes: { a: 5 } }, says: 'FailedNodes' },
    { it: 'a string for reasons', answer: { FailedNodes: 'all of them' }, says: 'FailedNodes' },
    {
      it: 'a name that was not in the request',
      answer: { NodeNames: ['z'] },
      says: '"z" which is not found in the input node list',
    },
    {
      it: 'a node that was not in the request',
      answer: { Nodes: { items: [{ metadata: { name: '__proto__' } }] } },
      says: '"__proto__"',
    },
  ])('refuses $it', ({ answer, says }) => {
    expect(() => read(answer)).toThrow(
      expect.objectContaining({
        code: 'BERTH_SCHEDULER_EXTENDER_ANSWER',
        message: expect.stringContaining(says) as string,
      }),
    )
  })

  test('throws the error message of the extender unchanged', () => {
    expect(() => read({ Error: 'no license' })).toThrow(
      expect.objectContaining({ code: 'BERTH_SCHEDULER_EXTENDER_REFUSED', message: 'no license' }),
    )
  })
})

describe('readPrioritizeResponse', () => {
  test('reads scores of any size, and null as no scores', () => {
    expect(readPrioritizeResponse('[{"Host":"a","Score":-3},{"host":"b","score":11},{}]', 'u')).toEqual([
      { Host: 'a', Score: -3 },
      { Host: 'b', Score: 11 },
      { Host: '', Score: 0 },
    ])
    expect(readPrioritizeResponse('null', 'u')).toEqual([])
  })

  test.for(['[{"Host":"a","Score":3.5}]', '[{"Host":"a","Score":"5"}]', '{}', '[5]'])('refuses %s', (text) => {
    expect(() => readPrioritizeResponse(text, 'u')).toThrow('read answer of extender u')
  })
})

describe('readBindResponse', () => {
  test('accepts a response without an error', () => {
    expect(() => readBindResponse('{"Error":""}', 'u')).not.toThrow()
    expect(() => readBindResponse('null', 'u')).not.toThrow()
  })

  test('throws the error message of the extender unchanged', () => {
    expect(() => readBindResponse('{"error":"node is locked"}', 'u')).toThrow('node is locked')
  })
})
