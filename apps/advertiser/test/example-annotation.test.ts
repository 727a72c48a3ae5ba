import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { BerthPlugin } from '@berth/plugin-api'
import { expect, test } from 'vitest'
import { sourceSchema } from '../src/sources/source-options.ts'
import { testCluster } from './test-cluster.ts'

const name = 'example.com/seat'
const file = join(import.meta.dirname, '../../..', 'examples/plugins/resource-source', 'src/index.ts')

test('the advertiser puts the number from example-annotation on the node', async () => {
  const { plugin } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as { readonly plugin: BerthPlugin }
  await using cluster = await testCluster([plugin])
  await cluster.addNode('node-a', { annotations: { 'example.com/seats': '12' } })
  const source = sourceSchema.parse({ plugin: 'example-annotation', args: { annotation: 'example.com/seats' } })
  await cluster.run('once', [{ name, source, nodes: { selector: {} } }])
  expect((await cluster.node('node-a')).status).toMatchObject({
    capacity: { [name]: '12' },
    allocatable: { [name]: '12' },
  })
})
