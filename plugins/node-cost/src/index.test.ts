import type { Pod } from '@berth/plugin-api'
import { createHooks, decideOnce, runSchedulingPlugin, samplePod } from '@berth/plugin-api/testing'
import { describe, expect, test } from 'vitest'
import { samples } from '../test/sample.ts'
import { plugin } from './index.ts'

const PRICE = 'example.com/price'
const MAXIMUM = 'example.com/max-price'
const podWith = (maximum?: string) =>
  samplePod({}, maximum === undefined ? {} : { annotations: { [MAXIMUM]: maximum } })
const nodes = [
  { name: 'cheap', labels: { [PRICE]: '1' } },
  { name: 'middle', labels: { [PRICE]: '2.5' } },
  { name: 'dear', labels: { [PRICE]: '4' } },
  { name: 'free', labels: { [PRICE]: 'gratis' } },
  { name: 'unknown' },
]
const decide = (args: object, pod: Pod = podWith()) =>
  decideOnce(plugin, { args: { label: PRICE, ...args }, nodes, pod })

test('node-cost keeps the contract', () => {
  expect(runSchedulingPlugin(plugin, samples['node-cost']).length).toBeGreaterThan(0)
})

describe('the score', () => {
  test('is 100 for the lowest cost, 1 for the highest, and 0 for a node without a readable one', () => {
    expect(decide({}).scores).toEqual({ cheap: 100, middle: 50, dear: 1, free: 0, unknown: 0 })
  })

  test('reads a table by the value of an annotation', () => {
    const types = [
      { name: 'small', annotations: { type: 's' } },
      { name: 'large', annotations: { type: 'l' } },
      { name: 'odd', annotations: { type: 'toString' } },
    ]
    const args = { annotation: 'type', table: { s: 1, l: 9 } }
    const { scores } = decideOnce(plugin, { args, nodes: types, pod: podWith() })
    expect(scores).toEqual({ small: 100, large: 1, odd: 0 })
  })

  test('is 100 for every node when all cost the same', () => {
    const equal = [1, 2].map((n) => ({ name: `node-${n}`, labels: { [PRICE]: '3' } }))
    const { scores } = decideOnce(plugin, { args: { label: PRICE }, nodes: equal, pod: podWith() })
    expect(scores).toEqual({ 'node-1': 100, 'node-2': 100 })
  })
})

describe('the maximum', () => {
  test('rejects nodes above it', () => {
    expect(decide({ maximum: 2.5 }).rejected).toEqual({
      dear: { code: 3, reasons: ['node(s) cost more than 2.5 by label example.com/price'] },
    })
  })

  test.for([
    { own: '1', rejected: ['middle', 'dear'] },
    { own: '100', rejected: ['dear'] },
  ])('of the pod counts if it is lower: $own', ({ own, rejected }) => {
    const args = { maximum: 3, podMaximumAnnotation: MAXIMUM }
    expect(Object.keys(decide(args, podWith(own)).rejected)).toEqual(rejected)
  })

  test('of the pod must be a number', () => {
    expect(decide({ podMaximumAnnotation: MAXIMUM }, podWith('low')).preFilter).toMatchObject({
      reasons: ['annotation example.com/max-price of the pod is "low", not a number'],
    })
  })
})

test('withoutCost refuse rejects nodes without a readable cost', () => {
  const reasons = ['node(s) have no readable cost in label example.com/price']
  expect(decide({ withoutCost: 'refuse' }).rejected).toEqual({
    free: { code: 3, reasons },
    unknown: { code: 3, reasons },
  })
})

describe('arguments', () => {
  test.for([
    { it: 'neither label nor annotation', args: {}, says: 'args.label: set either label or annotation' },
    {
      it: 'both label and annotation',
      args: { label: 'a', annotation: 'b' },
      says: 'args.label: set either label or annotation',
    },
    { it: 'a negative price', args: { label: 'a', table: { m: -1 } }, says: 'args.table.m: ' },
    { it: 'a maximum that is not a number', args: { label: 'a', maximum: '3' }, says: 'args.maximum: ' },
  ])('are refused with $it', ({ args, says }) => {
    expect(() => createHooks(plugin, args)).toThrow(says)
  })
})
