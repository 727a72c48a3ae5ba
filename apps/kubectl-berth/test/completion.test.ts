import { resourceRefs } from '@berth/k8s-client'
import type { Pod } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { testCluster, type TestCluster } from './test-cluster.ts'

const dongle = 'example.com/dongle'

async function shop(): Promise<TestCluster> {
  const cluster = testCluster()
  await cluster.addNode('node-1', { [dongle]: '2' }, { labels: { rack: 'r1' } })
  await cluster.addPod('web-1', {})
  await cluster.client.create(resourceRefs.namespaces, { metadata: { name: 'shop' } })
  await cluster.addPod('cart-1', {}, { metadata: { namespace: 'shop' } })
  return cluster
}

/** Returns the offered values, and the directive. */
async function offers(words: readonly string[], cluster?: TestCluster): Promise<readonly [string, string]> {
  const lines = (await (cluster ?? testCluster()).run('__complete', ...words)).trimEnd().split('\n')
  const values = lines.slice(0, -1).map((line) => line.split('\t')[0])
  return [values.join(' '), lines.at(-1) ?? '']
}

describe('completion', () => {
  test.for([
    { words: [''], values: /^brief explain capacity whatif .* help version$/ },
    { words: ['ex'], values: /^explain extensions$/ },
    { words: ['extensions', 'csi'], values: /^csi-drivers$/ },
    { words: ['doctor', 'st'], values: /^stale-resources$/ },
    { words: ['help', 'ca'], values: /^capacity$/ },
    { words: ['explain', '--all'], values: /^--all-pending --all-namespaces$/ },
    { words: ['explain', '--all-pending', '--all'], values: /^--all-namespaces$/ },
    { words: ['capacity', '-o', ''], values: /^table wide json yaml csv$/ },
    { words: ['capacity', '--output=c'], values: /^csv$/ },
    { words: ['capacity', '--sort-by', 'u'], values: /^unhealthy use$/ },
    { words: ['whatif', 'p'], values: /^pod$/ },
    { words: ['whatif', '--drain', 'node-1', '--dr'], values: /^--drain$/ },
    { words: ['brief', '--context', ''], values: /^kind production$/ },
    { words: ['brief', '--context=pro'], values: /^production$/ },
    { words: ['nothing', ''], values: /^$/ },
    { words: ['capacity', dongle, ''], values: /^$/ },
  ])('of $words offers $values without asking the cluster', async ({ words, values }) => {
    const cluster = testCluster()
    expect(await offers(words, cluster)).toEqual([expect.stringMatching(values), ':4'])
    expect(cluster.requests()).toEqual([])
  })

  test.for([
    { words: ['explain', ''], values: 'daemonset deployment job pod replicaset statefulset' },
    { words: ['explain', 'pod', ''], values: 'web-1' },
    { words: ['explain', 'pod', 'web-1', 'w'], values: 'web-1' },
    { words: ['explain', 'po/'], values: 'po/web-1' },
    { words: ['explain', '-n', 'shop', 'pod', ''], values: 'cart-1' },
    { words: ['brief', 'node', ''], values: 'node-1' },
    { words: ['brief', 'unknown/'], values: '' },
    { words: ['capacity', ''], values: dongle },
    { words: ['capacity', '--group-by', ''], values: 'rack' },
    { words: ['capacity', '-n', 's'], values: 'shop' },
    { words: ['whatif', 'pod', ''], values: 'web-1' },
    { words: ['whatif', '--add-node=n'], values: 'node-1' },
  ])('of $words offers "$values" from the cluster', async ({ words, values }) => {
    expect(await offers(words, await shop())).toEqual([values, ':4'])
  })

  test.for([
    { words: ['capacity', '--scheduler-config', ''], directive: ':0' },
    { words: ['explain', '-f', 'po'], directive: ':0' },
    { words: ['capacity', '--plugin-dir', ''], directive: ':16' },
  ])('of $words leaves files to the shell', async ({ words, directive }) => {
    expect(await offers(words)).toEqual(['', directive])
  })

  test('describes commands and flags after a tab', async () => {
    expect(await testCluster().run('__complete', 'capacity', '--dev')).toMatch(
      /^--devices\tAlso show which container.*\n:4\n$/,
    )
  })

  test('offers nothing where this user may not list, and reports an error where the cluster cannot be read', async () => {
    const cluster = await shop()
    cluster.forbid('nodes')
    expect(await offers(['whatif', '--drain', ''], cluster)).toEqual(['', ':4'])
    cluster.serve('/api/v1/nodes', { items: [{}] })
    expect(await offers(['capacity', '--group-by', ''], cluster)).toEqual(['', ':5'])
  })

  test('prints no control character of a name', async () => {
    const cluster = await shop()
    const metadata: Pod['metadata'] = { name: 'evil\u001B[2J\nname' }
    cluster.serve('/api/v1/namespaces/default/pods', { items: [{ metadata }, { metadata: { name: 'good' } }] })
    expect(await offers(['whatif', 'pod', ''], cluster)).toEqual(['good', ':4'])
  })
})
