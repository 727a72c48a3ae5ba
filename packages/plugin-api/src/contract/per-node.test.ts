import { StatusCode } from '@berth/types'
import type { DecideContext, Pod } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { perNode } from './per-node.ts'
import { sampleCluster } from '../testing/sample-cluster.ts'

const cluster = sampleCluster([
  { name: 'node-a', allocatable: { 'example.com/dongle': 4 }, requested: { 'example.com/dongle': 3 } },
  { name: 'node-b', pods: [{ metadata: { name: 'p' }, spec: { containers: [] } }] },
  { name: 'node-c' },
])
const context: DecideContext = { cluster: cluster.reader, nowMs: 0, random: () => 0, state: new Map() }
const candidates = { rows: Int32Array.from(cluster.rows), count: 2 }
const pod: Pod = { metadata: { name: 'pod' }, spec: { containers: [] } }

describe('perNode', () => {
  test('has only the given hooks', () => {
    expect(Object.keys(perNode({ filter: () => undefined }))).toEqual(['filter'])
    expect(Object.keys(perNode({ score: () => 1 }))).toEqual(['score'])
    expect(Object.keys(perNode({}))).toEqual([])
  })

  test('scores exactly the candidates', () => {
    const scores = new Float64Array(3).fill(-1)
    const hooks = perNode({
      score: (_pod, node) =>
        Number(node.allocatable('example.com/dongle') - node.requested('example.com/dongle')) + node.pods.length * 10,
    })
    hooks.score?.(pod, candidates, scores, context)
    expect([...scores]).toEqual([1, 10, -1])
  })

  test('rejects with a text or with a code', () => {
    const seen: unknown[] = []
    const output = { codes: new Uint8Array(2), reject: (...rejection: readonly unknown[]) => void seen.push(rejection) }
    const hooks = perNode({
      filter: (pod, { name, node }) =>
        name === 'node-a'
          ? `${pod.metadata.name} not on ${node.metadata.name}`
          : { code: StatusCode.UnschedulableAndUnresolvable, reasons: ['never'] },
    })
    hooks.filter?.(pod, candidates, output, context)
    expect(seen).toEqual([
      [0, StatusCode.Unschedulable, 'pod not on node-a'],
      [1, StatusCode.UnschedulableAndUnresolvable, 'never'],
    ])
  })
})
