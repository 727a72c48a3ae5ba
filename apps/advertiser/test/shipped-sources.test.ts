import { builtInResourceSources } from '@berth/built-in-plugins/resource-sources'
import { expect, test } from 'vitest'
import { sourceSchema } from '../src/sources/source-options.ts'
import { testCluster } from './test-cluster.ts'

const name = 'example.com/unit'

interface SourceCase {
  readonly plugin: string
  readonly args: object
  readonly units: string
}

/** Each source that the advertiser ships, and the units that it gives to the node of the test. */
const cases: readonly SourceCase[] = [
  { plugin: 'node-label', args: { label: 'example.com/seats' }, units: '12' },
  { plugin: 'node-annotation', args: { annotation: 'example.com/buffer' }, units: '1500' },
  {
    plugin: 'node-expression',
    args: { expression: "quantity(node.status.capacity['cpu']).asInteger() * 3" },
    units: '6',
  },
]

test('every source that ships is shown here', () => {
  expect(cases.map(({ plugin }) => plugin).toSorted()).toEqual(
    builtInResourceSources.map((each) => each.name).toSorted(),
  )
})

test.for(cases)('$plugin advertises its number on a node', async ({ plugin, args, units }) => {
  await using cluster = await testCluster(builtInResourceSources)
  await cluster.addNode('node-a', {
    labels: { 'example.com/seats': '12' },
    annotations: { 'example.com/buffer': '1.5k' },
  })
  const source = sourceSchema.parse({ plugin, args })
  await cluster.run('once', [{ name, source, nodes: { selector: {} } }])
  const { capacity, allocatable } = (await cluster.node('node-a')).status ?? {}
  expect([capacity?.[name], allocatable?.[name]]).toEqual([units, units])
})
