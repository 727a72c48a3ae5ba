import { expect, test } from 'vitest'
import { candidateLimit, readPreemptionArgs } from './preemption-args.ts'

test.for([
  { nodes: 50, args: {}, limit: 50 },
  { nodes: 500, args: {}, limit: 100 },
  { nodes: 5_000, args: {}, limit: 500 },
  { nodes: 5_000, args: { minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 1 }, limit: 1 },
  { nodes: 0, args: {}, limit: 0 },
])('looks for $limit candidates among $nodes nodes with $args', ({ nodes, args, limit }) => {
  const read = readPreemptionArgs({ args: { apiVersion: 'v1', kind: 'DefaultPreemptionArgs', ...args }, path: 'x' })
  expect(candidateLimit(nodes, read)).toBe(limit)
})

test('has the defaults of kube-scheduler', () => {
  expect(readPreemptionArgs(undefined)).toEqual({ minCandidateNodesPercentage: 10, minCandidateNodesAbsolute: 100 })
})
