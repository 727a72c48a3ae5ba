import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { builtInResourceSources } from '@berth/built-in-plugins/resource-sources'
import { unpackedTree } from '@berth/device-discovery/testing'
import { resourceRefs } from '@berth/k8s-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sourceRefusal } from '../src/objects/read/allowed-sources.ts'
import { sourceSchema } from '../src/sources/source-options.ts'
import { testCluster } from './test-cluster.ts'

const name = 'example.com/unit'
const plugins = join(import.meta.dirname, '../../../plugins')
const samples = { status: 'success', data: { resultType: 'scalar', result: [1_767_225_600, '21'] } }
const server = createServer(({ url = '' }, response) => {
  response.end(JSON.stringify(url.startsWith('/api/v1/query') ? samples : { nodes: { 'node-a': 9 } }))
})
let origin = ''

beforeAll(async () => {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => void server.close(resolve))
})

const host = join(plugins, 'host-numbers/test/trees/server.tree')

interface SourceCase {
  readonly plugin: string
  readonly args: () => object
  readonly units: string
  /** Runs on the node in mode node. */
  readonly onlyNode?: string
}

/** Each source that the advertiser ships, and the units that it gives to the node of the test. */
const cases: readonly SourceCase[] = [
  { plugin: 'node-label', args: () => ({ label: 'example.com/seats' }), units: '12' },
  { plugin: 'node-annotation', args: () => ({ annotation: 'example.com/buffer' }), units: '1500' },
  {
    plugin: 'node-expression',
    args: () => ({ expression: "quantity(node.status.capacity['cpu']).asInteger() * 3" }),
    units: '6',
  },
  { plugin: 'pod-addresses', args: () => ({ reserved: 6 }), units: '250' },
  { plugin: 'http-json', args: () => ({ url: `${origin}/seats`, pointer: '/nodes/{node}' }), units: '9' },
  { plugin: 'prometheus', args: () => ({ url: origin, query: 'sum(seats{node="{node}"})' }), units: '21' },
  { plugin: 'file', args: () => ({ path: join(plugins, 'local-numbers/test/seats.txt') }), units: '12' },
  { plugin: 'command', args: () => ({ command: ['/bin/echo', '32Ki'] }), units: '32768' },
  {
    plugin: 'nic-bandwidth',
    args: () => ({ hostRoot: unpackedTree(host), unit: 'gigabit' }),
    units: '150',
    onlyNode: 'node-a',
  },
  { plugin: 'disk-capacity', args: () => ({ hostRoot: unpackedTree(host) }), units: '5120', onlyNode: 'node-a' },
]

async function advertise(
  plugin: string,
  args: object,
  {
    origins = [{ origin }],
    onlyNode,
  }: { readonly origins?: readonly { readonly origin: string }[]; readonly onlyNode?: string | undefined } = {},
): Promise<readonly unknown[]> {
  await using cluster = await testCluster(builtInResourceSources, { sourceOrigins: origins })
  const annotations = { 'example.com/buffer': '1.5k' }
  await cluster.addNode('node-a', { labels: { 'example.com/seats': '12' }, annotations })
  await cluster.client.patch(
    resourceRefs.nodes,
    { name: 'node-a' },
    { spec: { podCIDR: '10.1.0.0/24' } },
    { type: 'merge' },
  )
  const source = sourceSchema.parse({ plugin, args })
  await cluster.run('once', [{ name, source, nodes: { selector: {} } }], {
    ...(onlyNode !== undefined && { onlyNode }),
  })
  const { capacity, allocatable } = (await cluster.node('node-a')).status ?? {}
  return [capacity?.[name], allocatable?.[name]]
}

describe('the sources of the advertiser', () => {
  test('are all shown here', () => {
    const shipped = builtInResourceSources.map((each) => each.name)
    expect(cases.map(({ plugin }) => plugin).toSorted()).toEqual(shipped.toSorted())
  })

  test.for(cases)('advertise a number on a node: $plugin', async ({ plugin, args, units, onlyNode }) => {
    expect(await advertise(plugin, args(), { onlyNode })).toEqual([units, units])
  })

  test.for(cases.filter(({ onlyNode }) => onlyNode !== undefined))(
    '$plugin reads its host only in mode node, and is refused by the path of its key',
    async ({ plugin, args }) => {
      await expect(advertise(plugin, args())).rejects.toMatchObject({
        code: 'BERTH_ADVERTISER_CONFIG_MODE',
        message: expect.stringContaining(`resources[0].source.plugin: ${plugin} reads the machine`),
      })
      expect(sourceRefusal(plugin)).toContain('objects may use only the sources node-label')
    },
  )

  test.for(['http-json', 'prometheus'])('%s queries only servers of sourceOrigins', async (plugin) => {
    const args = cases.find((each) => each.plugin === plugin)?.args() ?? {}
    await expect(advertise(plugin, args, { origins: [{ origin: 'http://127.0.0.1:1' }] })).rejects.toMatchObject({
      code: 'BERTH_PLUGIN_ARGS',
      message: `read resources[0] (${name}): create plugin ${plugin}: args.url: ${origin} is not in sourceOrigins of the advertiser's configuration`,
    })
  })
})
