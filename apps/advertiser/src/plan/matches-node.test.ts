import type { Node } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { matchesNode } from './matches-node.ts'
import type { Declaration, NodeSelection } from './declaration.ts'
import { desiredUnits } from './desired-units.ts'

const node: Node = { metadata: { name: 'node-a', labels: { zone: 'b', gpu: '' } } }
const expression = (key: string, operator: string, values?: readonly string[]): NodeSelection => ({
  kind: 'selector',
  selector: { matchExpressions: [{ key, operator, ...(values !== undefined && { values }) }] },
})

describe('choosesNode', () => {
  test.for<{ it: string; choice: NodeSelection; chosen: boolean }>([
    { it: 'its name', choice: { kind: 'names', names: new Set(['node-b', 'node-a']) }, chosen: true },
    { it: 'another name', choice: { kind: 'names', names: new Set(['node-b']) }, chosen: false },
    { it: 'everything', choice: { kind: 'selector', selector: {} }, chosen: true },
    { it: 'a label', choice: { kind: 'selector', selector: { matchLabels: { zone: 'b' } } }, chosen: true },
    {
      it: 'one label of two',
      choice: { kind: 'selector', selector: { matchLabels: { zone: 'b', rack: '1' } } },
      chosen: false,
    },
    {
      it: 'an inherited key',
      choice: { kind: 'selector', selector: { matchLabels: { constructor: 'x' } } },
      chosen: false,
    },
    { it: 'In', choice: expression('zone', 'In', ['a', 'b']), chosen: true },
    { it: 'In without the label', choice: expression('rack', 'In', ['a']), chosen: false },
    { it: 'NotIn', choice: expression('zone', 'NotIn', ['a']), chosen: true },
    { it: 'NotIn with the value', choice: expression('zone', 'NotIn', ['b']), chosen: false },
    { it: 'NotIn without the label', choice: expression('rack', 'NotIn', ['a']), chosen: true },
    { it: 'Exists on an empty value', choice: expression('gpu', 'Exists'), chosen: true },
    { it: 'DoesNotExist', choice: expression('rack', 'DoesNotExist'), chosen: true },
    { it: 'DoesNotExist on a label that is there', choice: expression('zone', 'DoesNotExist'), chosen: false },
    { it: 'an operator that labels do not have', choice: expression('zone', 'Gt', ['1']), chosen: false },
  ])('says whether $it chooses a node', ({ choice, chosen }) => {
    expect(matchesNode(choice, node)).toBe(chosen)
  })
})

describe('desiredUnits', () => {
  const declare = (
    path: string,
    resourceName: string,
    amount: Declaration['amount'],
    name = 'node-a',
  ): Declaration => ({
    path,
    resourceName,
    nodes: { kind: 'names', names: new Set([name]) },
    amount,
  })
  const four = { kind: 'units', units: 4n } as const
  const computed = { kind: 'source', plugin: 'file', args: {}, everyMs: 1, maxAgeMs: 1 } as const

  test('takes what speaks of the node, asks sources, and obeys none of two', () => {
    const declarations = [
      declare('resources[0]', 'a.b/static', four),
      declare('resources[1]', 'a.b/elsewhere', four, 'node-b'),
      declare('resources[2]', 'a.b/computed', computed),
      declare('resources[3]', 'a.b/twice', four),
      declare('resources[4]', 'a.b/twice', computed),
    ]
    const desired = desiredUnits(declarations, node, ({ path }, source, nodeName) => ({
      kind: 'unknown',
      reason: `${path} ${source.plugin} ${nodeName}`,
    }))
    expect([...desired]).toEqual([
      ['a.b/static', four],
      ['a.b/computed', { kind: 'unknown', reason: 'resources[2] file node-a' }],
      ['a.b/twice', { kind: 'ambiguous', paths: ['resources[3]', 'resources[4]'] }],
    ])
  })
})
