import { runResourceSource } from '@berth/plugin-api/testing'
import { expect, test } from 'vitest'
import { sampleNode, samples } from '../test/sample.ts'
import { nodeExpression } from './node-expression.ts'

const nodes = [sampleNode]
const unitsOf = async (expression: string) =>
  (await runResourceSource(nodeExpression, { args: { expression }, nodes }))[0]?.units

test('node-expression keeps the contract', async () => {
  expect(await runResourceSource(nodeExpression, samples['node-expression'])).toMatchObject([{ units: 8n }])
})

test.for([
  { expression: "quantity(node.status.capacity['cpu']).asInteger() * 2 - 1", units: 15n },
  { expression: "quantity(node.status.allocatable['cpu']).asApproximateFloat() * 0.5", units: 3.75 },
  { expression: "quantity(node.status.capacity['memory']).sub(quantity('1.5Gi'))", units: 15_569_256_448n },
  { expression: "int(node.metadata.labels['example.com/seats']) / 5", units: 2n },
  { expression: "node.metadata.labels['example.com/seats']", units: 12n },
  { expression: "node.metadata.annotations['example.com/buffer']", units: 1_610_612_736n },
  { expression: "int(node.metadata.?labels['example.com/none'].orValue('3'))", units: 3n },
  { expression: 'has(node.metadata.labels.none) ? 1 : 2', units: 2n },
  { expression: "node.metadata.name.startsWith('node-') && 'a' in ['a', 'b'] ? 4 : 0", units: 4n },
  { expression: 'uint(7)', units: 7n },
])('$expression gives $units', async ({ expression, units }) => {
  expect(await unitsOf(expression)).toBe(units)
})

test.for([
  { expression: 'node.status.capacity.memory +', says: 'args.expression' },
  { expression: 'pod.spec', says: 'args.expression: Unknown variable: pod' },
  { expression: 'true', says: 'args.expression: gives bool, expected a number' },
  { expression: '[1, 2]', says: 'expected a number' },
  { expression: "'a'.matches('(a+)+$') ? 1 : 2", says: 'matches() is not available' },
  { expression: '[1, 2].map(x, x * 2)[0]', says: 'map() is not available' },
  { expression: '[1].all(x, [2].exists(y, x == y)) ? 1 : 0', says: 'all() is not available' },
  { expression: Array.from({ length: 400 }, () => '1').join('+'), says: 'args.expression' },
  { expression: '1'.repeat(3000), says: 'args.expression' },
])('an invalid expression is refused when the configuration is read: $expression', async ({ expression, says }) => {
  await expect(unitsOf(expression)).rejects.toMatchObject({
    code: 'BERTH_PLUGIN_ARGS',
    message: expect.stringContaining(says),
  })
})

test.for([
  {
    expression: "int(node.metadata.labels['none'])",
    says: "expression int(node.metadata.labels['none']): No such key",
  },
  { expression: '1 / (2 - 2)', says: 'division by zero' },
  { expression: 'quantity(node.metadata.name).asInteger()', says: 'quantities must match the regular expression' },
  { expression: 'node.metadata.name', says: 'the result of node.metadata.name is "node-a", not a number' },
  { expression: 'node.metadata', says: 'the result of node.metadata is not a number' },
  { expression: '2 - 5', says: 'which is negative' },
])('$expression has no value for the node', async ({ expression, says }) => {
  await expect(unitsOf(expression)).rejects.toThrow(says)
})
