import { expect, test } from 'vitest'
import { fillNodeName, namesNode } from './node-placeholder.ts'

test('the name of the node replaces each placeholder', () => {
  expect(fillNodeName('free{node="{node}"} / total{node="{node}"}', 'node-a.example')).toBe(
    'free{node="node-a.example"} / total{node="node-a.example"}',
  )
  expect(fillNodeName('/seats', '../etc')).toBe('/seats')
  expect([namesNode('/{node}/seats'), namesNode('/seats')]).toEqual([true, false])
})

test.for(['../etc', 'a/b', 'a..b', 'a.-b', '"', 'a b', '', 'A', '-a', 'a'.repeat(254)])(
  'a node cannot be named %j',
  (name) => {
    expect(() => fillNodeName('/{node}', name)).toThrow('cannot be the name of a node')
  },
)
