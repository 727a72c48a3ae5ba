import { describe, expect, test } from 'vitest'
import { pendingReason } from './pending-reason.ts'

describe('pendingReason', () => {
  test.for([
    {
      it: 'drops what preemption did',
      message:
        '0/2 nodes are available: 2 Insufficient example.com/dongle. no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.',
      line: '0/2 nodes are available: 2 Insufficient example.com/dongle.',
    },
    {
      it: 'keeps different resources apart',
      message: '0/3 nodes are available: 1 Insufficient example.com/a, 2 Insufficient example.com/b.',
      line: '0/3 nodes are available: 1 Insufficient example.com/a, 2 Insufficient example.com/b.',
    },
    {
      it: 'keeps the most frequent of many reasons',
      message: '0/9 nodes are available: 1 a, 2 b, 3 c, 2 d, 1 e.',
      line: '0/9 nodes are available: 3 c, 2 b, 2 d and 2 more reasons.',
    },
    {
      it: 'leaves other sentences as they are, on one line',
      message: 'waiting for\n  pod group default/workers',
      line: 'waiting for pod group default/workers',
    },
    {
      it: 'leaves a reason without a number as it is',
      message: '0/4 nodes are available: pod has unbound immediate PersistentVolumeClaims. preemption: 0/4 nodes.',
      line: '0/4 nodes are available: pod has unbound immediate PersistentVolumeClaims.',
    },
  ])('$it', ({ message, line }) => expect(pendingReason(message)).toBe(line))

  test('merges reasons that contain the name of a node', () => {
    const clauses = Array.from({ length: 154 }, (_, index) => `1 node-${index} is too warm: ${40 + index} degrees`)
    expect(pendingReason(`0/154 nodes are available: ${clauses.join(', ')}.`)).toBe(
      '0/154 nodes are available: 154 node-0 is too warm: 40 degrees (and 153 similar reasons).',
    )
  })
})
