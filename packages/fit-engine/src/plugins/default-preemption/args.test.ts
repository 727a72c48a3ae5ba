import { expect, test } from 'vitest'
import { candidateLimit, parseDefaultPreemptionArgs } from './args.ts'

test.for([
  { nodes: 50, args: {}, limit: 50 },
  { nodes: 500, args: {}, limit: 100 },
  { nodes: 5_000, args: {}, limit: 500 },
  { nodes: 5_000, args: { minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 1 }, limit: 1 },
  { nodes: 0, args: {}, limit: 0 },
])('looks for $limit candidates among $nodes nodes with $args', ({ nodes, args, limit }) => {
  expect(candidateLimit(nodes, parseDefaultPreemptionArgs({ ...args }))).toBe(limit)
})

test('has the defaults of kube-scheduler', () => {
  expect(parseDefaultPreemptionArgs()).toEqual({ minCandidateNodesPercentage: 10, minCandidateNodesAbsolute: 100 })
})

test('refuses arguments with which no node is a candidate', () => {
  const none = { minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 0 }
  expect(() => parseDefaultPreemptionArgs(none)).toThrow(
    'read arguments of plugin DefaultPreemption: minCandidateNodesPercentage and minCandidateNodesAbsolute: cannot both be zero',
  )
})
