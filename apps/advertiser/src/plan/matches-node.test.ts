import type { Node } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { matchesNode } from './matches-node.ts'
import type { NodeSelection } from './declaration.ts'

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
