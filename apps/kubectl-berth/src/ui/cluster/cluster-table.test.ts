import type { Node, Pod } from '@berth/types'
import { array, assert, constantFrom, integer, property, record } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createClusterTable, type ClusterTable } from './cluster-table.ts'
import { noChanges } from '../model/ui-point.ts'
import type { NodeRow } from '../model/cluster-step.ts'

const dongle = 'example.com/dongle'

function node(name: string, dongles = 4, more: Partial<Node['spec']> = {}): Node {
  const amounts = { cpu: '2', [dongle]: String(dongles) }
  return { metadata: { name }, spec: more, status: { capacity: amounts, allocatable: amounts } }
}

function pod(name: string, { nodeName, phase = 'Pending', uid = name, dongles = 1 }: PodProperties = {}): Pod {
  return {
    metadata: { name, namespace: 'default', uid },
    spec: {
      containers: [{ name: 'main', resources: { requests: { [dongle]: String(dongles) } } }],
      ...(nodeName !== undefined && { nodeName }),
    },
    status: { phase },
  }
}

interface PodProperties {
  readonly nodeName?: string
  readonly phase?: string
  readonly uid?: string
  readonly dongles?: number
}

/** A table after its first step. */
function started(...nodes: readonly Node[]): ClusterTable {
  const table = createClusterTable()
  nodes.forEach((one) => table.setNode(one))
  table.takeStep(0)
  return table
}

describe('a cluster table', () => {
  test('does not count what was there at the start', () => {
    const table = createClusterTable()
    table.setNode(node('a'))
    table.setPod(pod('web', { nodeName: 'a' }))
    expect(table.takeStep(5)).toMatchObject({ timeMs: 5, counts: noChanges, examples: [], pendingCount: 1 })
  })

  test('counts an arrival, a placement, and an end of a pod', () => {
    const table = started(node('a'))
    table.setPod(pod('web'))
    expect(table.takeStep(1)).toMatchObject({ counts: { arrived: 1, pending: 1 }, pendingCount: 1 })
    table.setPod(pod('web', { nodeName: 'a', phase: 'Running' }))
    const placed = table.takeStep(2)
    expect(placed).toMatchObject({ counts: { ...noChanges, placed: 1 }, pendingCount: 0 })
    expect(placed?.rows.get('a')?.get(dongle)).toEqual([4, 1, 3, 0])
    table.setPod(pod('web', { nodeName: 'a', phase: 'Succeeded' }))
    const ended = table.takeStep(3)
    expect(ended).toMatchObject({ counts: { ...noChanges, ended: 1 }, examples: [['ended', 'default/web']] })
    expect(ended?.rows.get('a')?.get(dongle)).toEqual([4, 0, 4, 0])
    table.deletePod(pod('web'))
    expect(table.takeStep(4)).toBeUndefined()
  })

  test('a pod that is placed and started within a step did not become pending', () => {
    const table = started(node('a'))
    table.setPod(pod('web'))
    table.setPod(pod('web', { nodeName: 'a', phase: 'Running' }))
    expect(table.takeStep(1)?.counts).toEqual({ ...noChanges, arrived: 1, placed: 1 })
  })

  test('a pod of the same name with another uid is another pod', () => {
    const table = started(node('a'))
    table.setPod(pod('web', { nodeName: 'a', uid: '1' }))
    table.takeStep(1)
    table.setPod(pod('web', { nodeName: 'a', uid: '2', dongles: 2 }))
    const step = table.takeStep(2)
    expect(step?.counts).toMatchObject({ arrived: 1, placed: 1, ended: 1 })
    expect(step?.rows.get('a')?.get(dongle)).toEqual([4, 2, 2, 0])
  })

  test('counts nodes that come, go, or change in what they take, and not their heartbeats', () => {
    const table = started(node('a'))
    table.setNode({ ...node('a'), metadata: { name: 'a', resourceVersion: '2' } })
    expect(table.takeStep(1)).toBeUndefined()
    table.setNode(node('a', 4, { unschedulable: true }))
    table.setNode(node('b'))
    expect(table.takeStep(2)?.counts).toEqual({ ...noChanges, nodeChanged: 1, nodeAdded: 1 })
    table.deleteNode('b')
    const step = table.takeStep(3)
    expect(step?.counts).toEqual({ ...noChanges, nodeGone: 1 })
    expect(step?.rows).toEqual(new Map([['b', undefined]]))
  })

  test('shows no control characters and no characters that change the direction of text', () => {
    const table = started(node('a'))
    table.setNode(node('b\u001b[2J\u202e'))
    const step = table.takeStep(1)
    expect([...(step?.rows.keys() ?? [])]).toEqual(['b'])
    expect(step?.examples).toEqual([['nodeAdded', 'b']])
  })

  test('counts the same after any changes as a table that saw only the last state', () => {
    const change = record({
      kind: constantFrom('node', 'no-node', 'pod', 'no-pod'),
      name: constantFrom('a', 'b'),
      nodeName: constantFrom(undefined, 'a', 'b', 'gone'),
      phase: constantFrom('Pending', 'Running', 'Succeeded'),
      dongles: integer({ min: 0, max: 3 }),
      takes: constantFrom(true, false),
    })
    assert(
      property(array(change, { maxLength: 30 }), (changes) => {
        const [table, nodes, pods] = [createClusterTable(), new Map<string, Node>(), new Map<string, Pod>()]
        const rows = new Map<string, NodeRow | undefined>()
        const take = (): number | undefined => {
          const step = table.takeStep(0)
          for (const [name, row] of step?.rows ?? []) rows.set(name, row)
          return step?.pendingCount
        }
        let pendingCount: number | undefined = 0
        for (const { kind, name, nodeName, takes, ...more } of changes) {
          const next = pod(name, { ...more, ...(nodeName !== undefined && { nodeName }) })
          if (kind === 'node') nodes.set(name, node(name, more.dongles))
          else if (kind === 'pod') pods.set(name, next)
          else if (kind === 'no-node') nodes.delete(name)
          else pods.delete(name)
          if (kind === 'node') table.setNode(node(name, more.dongles))
          else if (kind === 'pod') table.setPod(next)
          else if (kind === 'no-node') table.deleteNode(name)
          else table.deletePod(next)
          if (takes) pendingCount = take() ?? pendingCount
        }
        pendingCount = take() ?? pendingCount
        const last = createClusterTable()
        for (const one of nodes.values()) last.setNode(one)
        for (const one of pods.values()) last.setPod(one)
        const expected = last.takeStep(0)
        expect(new Map([...rows].filter(([, row]) => row !== undefined))).toEqual(expected?.rows)
        expect(pendingCount).toBe(expected?.pendingCount)
      }),
    )
  })
})
