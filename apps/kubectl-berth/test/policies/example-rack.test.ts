import { pluginDirectory } from '@berth/testing'
import { expect, test } from 'vitest'
import { hosts, startPolicyCluster } from './policy-cluster.ts'

const nodes = { plain: {}, labelled: { labels: { 'example.com/rack': 'r1' } } }

test.for(hosts)('example-rack in the %s keeps the pods of one app on different nodes', async (host) => {
  using plugins = pluginDirectory('examples/plugins/scheduling')
  const policy = { name: 'example-rack', args: {} }
  await using cluster = await startPolicyCluster(host, [policy], nodes, { pluginDir: plugins.path })
  const web = { metadata: { labels: { app: 'web' } } }
  expect(await cluster.place('first', web)).toEqual({ node: 'labelled' })
  expect(await cluster.place('second', web)).toEqual({ node: 'plain' })
  const third = await cluster.place('third', web)
  expect('reason' in third && third.reason).toContain('app=web already runs there')
})
