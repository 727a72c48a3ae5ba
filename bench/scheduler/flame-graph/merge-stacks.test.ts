import { expect, test } from 'vitest'
import { type CallFrame, type CpuProfile, mergeStacks } from './merge-stacks.ts'

const frame = (functionName: string): CallFrame => ({ functionName, url: '', lineNumber: 0, columnNumber: 0 })
/** root > a > (wrapper > b, c), and idle. Node 6 is a second node of `a > b`. */
const profile: CpuProfile = {
  nodes: [
    { id: 1, callFrame: frame('(root)'), children: [2, 7] },
    { id: 2, callFrame: frame('a'), children: [3, 5, 6] },
    { id: 3, callFrame: frame('wrapper'), children: [4] },
    { id: 4, callFrame: frame('b') },
    { id: 5, callFrame: frame('c') },
    { id: 6, callFrame: frame('b') },
    { id: 7, callFrame: frame('(idle)') },
  ],
  startTime: 1_000,
  samples: [4, 5, 6, 7, 2],
  timeDeltas: [10, 20, 30, 40, 50],
}
const nameOf = ({ functionName }: CallFrame): string | undefined =>
  functionName === 'wrapper' ? undefined : functionName
const always = { fromUs: 0, toUs: Infinity }

test('mergeStacks adds up the time of equal stacks, without idle time and frames that are left out', () => {
  const root = mergeStacks(profile, nameOf, always)
  expect(root).toEqual({
    name: 'all',
    us: 110,
    callees: new Map([
      [
        'a',
        {
          name: 'a',
          us: 110,
          callees: new Map([
            ['b', { name: 'b', us: 40, callees: new Map() }],
            ['c', { name: 'c', us: 20, callees: new Map() }],
          ]),
        },
      ],
    ]),
  })
})

test('mergeStacks counts only the samples of a span', () => {
  expect(mergeStacks(profile, nameOf, { fromUs: 30, toUs: 60 }).us).toBe(20)
  expect(mergeStacks(profile, nameOf, { fromUs: 200, toUs: 300 })).toEqual({ name: 'all', us: 0, callees: new Map() })
})
