import { runResourceSource } from '@berth/plugin-api/testing'
import { expect, test } from 'vitest'
import { sampleNode, samples } from '../test/sample.ts'
import { nodeAnnotation, nodeLabel } from './node-text.ts'

const nodes = [sampleNode]
const pluginFor = (args: object) => ('annotation' in args ? nodeAnnotation : nodeLabel)
const unitsOf = async (args: object) => (await runResourceSource(pluginFor(args), { args, nodes }))[0]?.units

test('node-label and node-annotation keep the contract', async () => {
  expect(await runResourceSource(nodeLabel, samples['node-label'])).toMatchObject([{ units: 12n }])
  expect(await runResourceSource(nodeAnnotation, samples['node-annotation'])).toMatchObject([{ units: 1_610_612_736n }])
})

test.for([
  { it: 'a default number', args: { label: 'example.com/none', default: 2 }, units: 2 },
  { it: 'a default with a suffix', args: { annotation: 'example.com/none', default: '1.5k' }, units: 1500n },
  { it: 'the label although there is a default', args: { label: 'example.com/seats', default: 2 }, units: 12n },
])('the number of a node is $it', async ({ args, units }) => {
  expect(await unitsOf(args)).toBe(units)
})

test.for([
  { it: 'has no label', args: { label: 'example.com/none' }, says: 'node node-a has no label example.com/none' },
  { it: 'has no annotation', args: { annotation: 'none' }, says: 'node node-a has no annotation none' },
  { it: 'only inherits a label', args: { label: 'constructor' }, says: 'node node-a has no label constructor' },
  {
    it: 'has a word in its label',
    args: { label: 'node.kubernetes.io/instance-type', default: 3 },
    says: 'label node.kubernetes.io/instance-type is "m5.large", not a number',
  },
])('a node that $it has no number', async ({ args, says }) => {
  await expect(unitsOf(args)).rejects.toThrow(says)
})

test.for([
  { it: 'no label', args: {}, says: 'args.label' },
  { it: 'a name that no label can have', args: { label: 'a b' }, says: 'args.label' },
  { it: 'a default that is not a number', args: { label: 'a', default: 'many' }, says: 'it is "many", not a number' },
  { it: 'a negative default', args: { label: 'a', default: -1 }, says: 'args.default' },
])('$it is refused', async ({ args, says }) => {
  await expect(unitsOf(args)).rejects.toMatchObject({
    code: 'BERTH_PLUGIN_ARGS',
    message: expect.stringContaining(says),
  })
})
