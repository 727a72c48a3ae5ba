import { createPluginRegistry } from '@berth/plugin-api'
import { runSchedulingPlugin, sampleCluster } from '@berth/plugin-api/testing'
import { describe, expect, test } from 'vitest'
import { pod, samples } from '../test/sample.ts'
import { plugin } from './index.ts'

const sample = samples['example-rack']

test('it passes the contract checks', () => {
  expect(runSchedulingPlugin(plugin, sample).length).toBeGreaterThan(0)
})

describe('example-rack', () => {
  const cluster = sampleCluster(sample.nodes)
  const candidates = { rows: Int32Array.from(cluster.rows), count: 2 }
  const context = { cluster: cluster.reader, nowMs: 0, random: () => 0, state: new Map() }
  const clock = { now: () => 0, monotonic: () => 0, setTimer: () => ({ cancel: () => {} }) }
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const registry = createPluginRegistry([{ plugin, origin: 'here' }])
  const hooks = registry.createScheduling('example-rack', {}, { clock, log, random: () => 0 })

  test.for([
    {
      it: 'keeps pods of one app apart',
      candidate: pod('web-1', 'web'),
      reasons: ['app=web already runs there as web-0'],
    },
    { it: 'lets another app pass', candidate: pod('db-0', 'db'), reasons: [] },
    { it: 'lets a pod without the label pass', candidate: pod('x'), reasons: [] },
  ])('$it', ({ candidate, reasons }) => {
    const seen: string[] = []
    const reject = (_i: number, _code: number, ...texts: readonly string[]) => void seen.push(...texts)
    hooks.filter?.(candidate, candidates, { codes: new Uint8Array(2), reject }, context)
    expect(seen).toEqual(reasons)
  })

  test('prefers a node with a known rack', () => {
    const scores = new Float64Array(2)
    hooks.score?.(pod('x'), candidates, scores, context)
    expect([...scores]).toEqual([100, 0])
  })
})
