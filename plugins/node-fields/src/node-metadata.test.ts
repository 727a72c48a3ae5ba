import { runResourceSource } from '@berth/plugin-api/testing'
import { expect, test } from 'vitest'
import { sampleNode, samples } from '../test/sample.ts'
import { nodeMetadata } from './node-metadata.ts'

const nodes = [sampleNode]
const unitsOf = async (args: object) => (await runResourceSource(nodeMetadata, { args, nodes }))[0]?.units

test('node-metadata keeps the contract', async () => {
  expect(await runResourceSource(nodeMetadata, samples['node-metadata'])).toMatchObject([{ units: 12n }])
})

test.for([
  { it: 'a label', args: { label: 'example.com/seats' }, units: 12n },
  { it: 'an annotation with a suffix', args: { annotation: 'example.com/buffer' }, units: 1_610_612_736n },
  { it: 'the default of a node without it', args: { label: 'example.com/none', default: 2 }, units: 2 },
  { it: 'a label although there is a default', args: { label: 'example.com/seats', default: 2 }, units: 12n },
])('node-metadata gives $it', async ({ args, units }) => {
  expect(await unitsOf(args)).toBe(units)
})

test.for([
  { it: 'has none', args: { label: 'example.com/none' }, says: 'node node-a has no label example.com/none' },
  { it: 'only inherits one', args: { label: 'constructor' }, says: 'node node-a has no label constructor' },
  {
    it: 'has a word in it',
    args: { label: 'node.kubernetes.io/instance-type', default: 3 },
    says: 'label node.kubernetes.io/instance-type is "m5.large", not a number',
  },
])('node-metadata rejects for a node that $it', async ({ args, says }) => {
  await expect(unitsOf(args)).rejects.toThrow(says)
})

test.for([
  { it: 'neither a label nor an annotation', args: {}, says: 'expected either label or annotation' },
  { it: 'both', args: { label: 'a', annotation: 'b' }, says: 'expected either label or annotation' },
  { it: 'a name that no label can have', args: { label: 'a b' }, says: 'args.label' },
])('node-metadata refuses $it', async ({ args, says }) => {
  await expect(unitsOf(args)).rejects.toThrow(says)
})
