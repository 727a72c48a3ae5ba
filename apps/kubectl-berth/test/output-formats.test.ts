import type { Pod } from '@berth/types'
import { resourceRefs } from '@berth/k8s-client'
import { describe, expect, test } from 'vitest'
import { testCluster, type TestCluster } from './test-cluster.ts'

const dongle = 'example.com/dongle'

/** One node with two dongles; one pod holds them, and two wait. */
async function crowded(): Promise<TestCluster> {
  const cluster = testCluster()
  await cluster.addNode('node-1', { [dongle]: '2' })
  await cluster.addNode('node-2')
  await cluster.addPod('web', { [dongle]: '2' }, { nodeName: 'node-1' })
  for (const name of ['waits', 'waits-too']) {
    await cluster.addPod(name, { [dongle]: '1' })
    const message = '0/2 nodes are available: 2 Insufficient example.com/dongle.'
    await cluster.client.patch<Pod>(
      resourceRefs.pods,
      { namespace: 'default', name },
      { status: { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }] } },
      { type: 'merge', subresource: 'status' },
    )
  }
  return cluster
}

const commands: readonly (readonly string[])[] = [
  ['brief'],
  ['explain', 'pod', 'waits'],
  ['explain', '--all-pending'],
  ['capacity'],
  ['capacity', '--pods'],
  ['capacity', '--group-by', 'zone'],
  ['capacity', '--all'],
  ['whatif', '--drain', 'node-1'],
]

describe('commands with tables', () => {
  test.for(commands)('%s %s %s fits in terminals of 40 to 200 columns', async (argv) => {
    const cluster = await crowded()
    for (const columns of [40, 60, 80, 120, 200]) {
      cluster.terminal.columns = columns
      cluster.terminal.tableColumns = columns
      const lines = (await cluster.run(...argv)).split('\n')
      // A command is not wrapped, so that it can be copied.
      const wrapped = lines.filter((line) => !line.includes('kubectl '))
      expect(wrapped.filter((line) => line.length > columns)).toEqual([])
      expect(wrapped.join('\n')).toMatch(/node-1|node-2|waits|no label/)
    }
  })

  test.for([
    { argv: ['capacity'], column: 'USE' },
    { argv: ['explain', 'pod', 'waits'], column: 'HAS' },
  ])('$argv leaves out $column in a narrow terminal, but not in a pipe or with -o wide', async ({ argv, column }) => {
    const cluster = await crowded()
    const hasColumn = async (...more: readonly string[]) =>
      new RegExp(`\\b${column}\\b`).test(await cluster.run(...argv, ...more))
    cluster.terminal.columns = 40
    expect(await hasColumn()).toBe(true)
    cluster.terminal.tableColumns = 40
    expect([await hasColumn(), await hasColumn('-o', 'wide')]).toEqual([false, true])
  })

  test.for(commands)('%s %s %s writes CSV: a header, and records with as many fields', async (argv) => {
    const lines = (await (await crowded()).run(...argv, '-o', 'csv')).trimEnd().split('\n')
    expect(lines.length).toBeGreaterThan(1)
    const counts = lines.map((line) => line.replaceAll(/"[^"]*"/g, 'x').split(',').length)
    expect(new Set(counts).size).toBe(1)
  })

  test.for(commands)('%s %s %s prints a table with -o table', async (argv) => {
    const cluster = await crowded()
    expect(await cluster.run(...argv, '-o', 'table')).toBe(await cluster.run(...argv))
  })

  test('brief in CSV names the parent of each object, and explain the numbers of each node', async () => {
    const cluster = await crowded()
    expect(await cluster.run('brief', '-o', 'csv')).toMatch(/^kind,namespace,name,parent,.*notes\npod,default,waits,,/)
    expect(await cluster.run('explain', 'pod', 'waits', '-o', 'csv')).toBe(
      `namespace,pod,node,verdict,reasons,resource,unit,asks,has,free,heldBy
default,waits,node-1,unschedulable,Insufficient ${dongle},${dongle},units,1,2,0,default/web
default,waits,node-2,unresolvable,Insufficient ${dongle},${dongle},units,1,0,0,
`,
    )
    expect(await cluster.run('explain', '--all-pending', '-o', 'csv')).toMatch(
      /^namespace,pod,fits,cause,fix\ndefault,waits,false,/,
    )
    expect(await cluster.run('whatif', '--drain', 'node-1', '-o', 'csv')).toContain(
      'default,web,node-1,false,,it is deleted: no controller recreates it,\n',
    )
  })
})
