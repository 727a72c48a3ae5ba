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

describe('matchesNode', () => {
  test.for<{ it: string; selection: NodeSelection; matches: boolean }>([
    { it: 'its name', selection: { kind: 'names', names: new Set(['node-b', 'node-a']) }, matches: true },
    { it: 'another name', selection: { kind: 'names', names: new Set(['node-b']) }, matches: false },
    { it: 'everything', selection: { kind: 'selector', selector: {} }, matches: true },
    { it: 'a label', selection: { kind: 'selector', selector: { matchLabels: { zone: 'b' } } }, matches: true },
    {
      it: 'one label of two',
      selection: { kind: 'selector', selector: { matchLabels: { zone: 'b', rack: '1' } } },
      matches: false,
    },
    {
      it: 'a key inherited from Object.prototype',
      selection: { kind: 'selector', selector: { matchLabels: { constructor: 'x' } } },
      matches: false,
    },
    { it: 'In', selection: expression('zone', 'In', ['a', 'b']), matches: true },
    { it: 'In without the label', selection: expression('rack', 'In', ['a']), matches: false },
    { it: 'NotIn', selection: expression('zone', 'NotIn', ['a']), matches: true },
    { it: 'NotIn with the value', selection: expression('zone', 'NotIn', ['b']), matches: false },
    { it: 'NotIn without the label', selection: expression('rack', 'NotIn', ['a']), matches: true },
    { it: 'Exists on an empty value', selection: expression('gpu', 'Exists'), matches: true },
    { it: 'DoesNotExist', selection: expression('rack', 'DoesNotExist'), matches: true },
    { it: 'DoesNotExist on a label that is there', selection: expression('zone', 'DoesNotExist'), matches: false },
    { it: 'an operator that label selectors do not have', selection: expression('zone', 'Gt', ['1']), matches: false },
  ])('evaluates $it', ({ selection, matches }) => {
    expect(matchesNode(selection, node)).toBe(matches)
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

  test('combines the declarations that match the node, reads sources, and reports ambiguous declarations', () => {
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
