import { resourceRefs } from '@berth/k8s-client'
import type { Node } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { applyPlan } from '../src/write/apply-plan.ts'
import { planFor } from '../src/plan/desired-state.ts'
import { selectMode } from '../src/run-command.ts'
import { refused } from './api-answers.ts'
import { dongles, OWNER, testCluster } from './test-cluster.ts'

const name = 'example.com/dongle'
const ownedBy = (owner: string) => `{"owner":"${owner}","since":"2026-01-01T00:00:00.000Z"}`
const statusOf = ({ metadata, status }: Node) => ({
  annotations: metadata.annotations ?? {},
  capacity: status?.capacity,
  allocatable: status?.allocatable,
})

describe('commands', () => {
  test('writes 4 dongles to a node, allocatable at once, and records ownership', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a')
    await cluster.addNode('node-b')
    await cluster.run('once', [dongles(4, 'node-a')])

    const node = await cluster.node('node-a')
    expect(node.status?.capacity?.[name]).toBe('4')
    expect(node.status?.allocatable?.[name]).toBe('4')
    expect(node.metadata.annotations).toEqual({
      'berth.dev/advertised': '{"example.com/dongle":"4"}',
      'berth.dev/advertised-by': ownedBy(OWNER),
    })
    expect((await cluster.node('node-b')).status?.capacity).not.toHaveProperty([name])
    expect(cluster.events).toMatchObject([
      {
        type: 'Normal',
        reason: 'ResourceAdvertised',
        regarding: { kind: 'Node', name: 'node-a' },
        note: `${name}: none -> 4`,
      },
    ])
    expect(await cluster.metric('berth_advertiser_advertised_units')).toBe(
      `berth_advertiser_advertised_units{resource_name="${name}"} 4`,
    )
  })

  test('writes nothing the second time', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a')
    await cluster.run('once', [dongles(4, 'node-a')])
    const before = await cluster.node('node-a')
    cluster.requests.length = 0
    await cluster.run('once', [dongles(4, 'node-a')])
    const ofNodes = cluster.requests.filter(({ path }) => path.startsWith('/api/v1/nodes'))
    expect(ofNodes.map(({ method }) => method)).toEqual(['GET'])
    expect(await cluster.node('node-a')).toEqual(before)
  })

  test('prune withdraws everything and leaves the nodes exactly as they were', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a', { annotations: { 'team.example/note': 'x' } }, { 'vendor.io/fpga': '2' })
    await cluster.addNode('node-b')
    const before = [await cluster.node('node-a'), await cluster.node('node-b')].map(statusOf)
    await cluster.run('once', [
      dongles(4, 'node-a', 'node-b'),
      { name: 'example.com/seat', units: '9', nodes: { selector: {} } },
    ])
    expect(await cluster.run('plan-prune', [])).toContain(`${name}: 4 -> none (withdrawn)`)
    await cluster.run('prune', [dongles(4, 'node-a')])
    const after = [await cluster.node('node-a'), await cluster.node('node-b')].map(statusOf)
    expect(JSON.stringify(after)).toBe(JSON.stringify(before))
  })

  test('prune names the running pods that use a resource and changes no node, unless --force is set', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a')
    await cluster.addNode('node-b')
    await cluster.run('once', [dongles(4, 'node-a', 'node-b')])
    await cluster.addPod('holder', 'node-b', { [name]: '3' })
    const before = [await cluster.node('node-a'), await cluster.node('node-b')]

    const refusal = {
      code: 'BERTH_ADVERTISER_IN_USE',
      message: `withdraw advertised resources: running pods still use 3 ${name} on node-b (default/holder)`,
    }
    await expect(cluster.run('plan-prune', [])).rejects.toMatchObject(refusal)
    await expect(cluster.run('prune', [])).rejects.toMatchObject(refusal)
    expect([await cluster.node('node-a'), await cluster.node('node-b')]).toEqual(before)

    expect(await cluster.run('plan-prune', [], { force: true })).toContain('2 of 2 nodes would be changed')
    await cluster.run('prune', [], { force: true })
    expect(cluster.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', inUse: [`3 ${name} on node-b (default/holder)`] }),
    )
    expect((await cluster.node('node-b')).status?.capacity).not.toHaveProperty([name])
  })

  test('prune ignores pods that have ended or use other resources', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a', {}, { 'vendor.io/fpga': '2' })
    await cluster.run('once', [dongles(4, 'node-a')])
    await cluster.addPod('done', 'node-a', { [name]: '1' })
    await cluster.addPod('other', 'node-a', { 'vendor.io/fpga': '1' })
    const done = { namespace: 'default', name: 'done' }
    await cluster.client.patch(
      resourceRefs.pods,
      done,
      { status: { phase: 'Succeeded' } },
      { type: 'merge', subresource: 'status' },
    )
    await cluster.run('prune', [])
    expect((await cluster.node('node-a')).status?.capacity).toEqual(expect.objectContaining({ 'vendor.io/fpga': '2' }))
    expect((await cluster.node('node-a')).status?.capacity).not.toHaveProperty([name])
  })

  test('withdraws what the configuration no longer declares', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a', { labels: { role: 'lab' } })
    await cluster.addNode('node-b', { labels: { role: 'lab' } })
    const seats = { name: 'example.com/seat', units: 2, nodes: { selector: { matchLabels: { role: 'lab' } } } }
    await cluster.run('once', [dongles(4, 'node-a'), seats])
    await cluster.client.patch(
      resourceRefs.nodes,
      { name: 'node-a' },
      { metadata: { labels: { role: null } } },
      { type: 'merge' },
    )
    await cluster.run('once', [dongles(4, 'node-a'), seats])
    expect((await cluster.node('node-a')).status?.capacity).not.toHaveProperty(['example.com/seat'])
    expect((await cluster.node('node-a')).metadata.annotations).toEqual({
      'berth.dev/advertised': '{"example.com/dongle":"4"}',
      'berth.dev/advertised-by': ownedBy(OWNER),
    })
  })

  test('leaves a value that it did not write, reports it, and fails', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a', {}, { [name]: '3' })
    const before = await cluster.node('node-a')
    await expect(cluster.run('once', [dongles(4, 'node-a')])).rejects.toMatchObject({
      code: 'BERTH_ADVERTISER_INCOMPLETE',
      message: 'advertise: 1 node does not match the configuration: node-a',
    })
    expect(await cluster.node('node-a')).toEqual(before)
    expect(cluster.events).toMatchObject([
      { type: 'Warning', reason: 'ResourceConflict', note: expect.stringContaining('the node already offers 3') },
    ])
    expect(await cluster.metric('berth_advertiser_conflicts_nodes{')).toBe(
      `berth_advertiser_conflicts_nodes{resource_name="${name}",reason="foreign"} 1`,
    )
  })

  test('reads the node again and repeats the write after a conflict (409)', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a')
    let races = 0
    cluster.intercept((request) => {
      if (request.method !== 'PATCH' || races === 2) return undefined
      races++
      return refused(409, 'Conflict')
    })
    await cluster.run('once', [dongles(4, 'node-a')])
    expect(races).toBe(2)
    expect((await cluster.node('node-a')).status?.capacity?.[name]).toBe('4')
    expect(await cluster.metric('berth_advertiser_write_conflicts_total')).toBe(
      'berth_advertiser_write_conflicts_total 2',
    )
  })

  test('does not overwrite a change that another writer made between read and write', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a')
    const stale = await cluster.node('node-a')
    await cluster.client.patchNodeStatus(
      'node-a',
      { status: { capacity: { [name]: '7' }, allocatable: { [name]: '7' } } },
      { fieldManager: 'hand' },
    )
    const { desired } = cluster.setup([dongles(4, 'node-a')])
    const outcome = await applyPlan(stale, {
      client: cluster.client,
      planFor: async (node) => planFor(desired, node, { nowMs: 0 }),
    })
    expect(outcome).toMatchObject({ kind: 'unchanged', plan: { conflicts: [{ kind: 'foreign' }] } })
    expect((await cluster.node('node-a')).status?.capacity?.[name]).toBe('7')
  })

  test('gives up on a node that changes during every attempt', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a')
    cluster.intercept(({ method }) => (method === 'PATCH' ? refused(409, 'Conflict') : undefined))
    await expect(cluster.run('once', [dongles(4, 'node-a')])).rejects.toMatchObject({
      code: 'BERTH_ADVERTISER_INCOMPLETE',
    })
    expect(cluster.lines).toContainEqual(
      expect.objectContaining({ node: 'node-a', err: expect.objectContaining({ code: 'BERTH_ADVERTISER_CONTENDED' }) }),
    )
  })

  test('names missing nodes and selectors without a node, and fails', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a')
    const nowhere = { name: 'example.com/seat', units: 1, nodes: { selector: { matchLabels: { role: 'lab' } } } }
    const reasons = [
      `resources[0].nodes.names: no node is named node-z (${name})`,
      'resources[1].nodes.selector: no node matches the selector (example.com/seat)',
    ]
    expect((await cluster.run('plan', [dongles(4, 'node-a', 'node-z'), nowhere])).split('\n').slice(2, 4)).toEqual(
      reasons,
    )
    await expect(cluster.run('once', [dongles(4, 'node-a', 'node-z'), nowhere])).rejects.toMatchObject({
      code: 'BERTH_ADVERTISER_INCOMPLETE',
      message: `advertise: ${reasons.join('; ')}`,
    })
    expect((await cluster.node('node-a')).status?.capacity?.[name]).toBe('4')
  })

  test('lowers a resource only to what running pods hold, and reports who holds it', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a')
    await cluster.run('once', [dongles(4, 'node-a')])
    await cluster.addPod('extended-resource-demo', 'node-a', { [name]: '3' })
    await expect(cluster.run('once', [dongles(2, 'node-a')])).rejects.toMatchObject({
      code: 'BERTH_ADVERTISER_INCOMPLETE',
    })
    expect((await cluster.node('node-a')).status?.allocatable?.[name]).toBe('3')
    expect(cluster.events.at(-1)).toMatchObject({
      reason: 'ResourceAdvertised',
      note: `${name}: 4 -> 3`,
    })
    expect(cluster.events.at(-2)).toMatchObject({
      type: 'Warning',
      reason: 'ResourceHeld',
      note: `${name} stays at 3 instead of 2: running pods hold 3 (default/extended-resource-demo); it is lowered when they end`,
    })
    expect(await cluster.metric('berth_advertiser_conflicts_nodes{')).toBe(
      `berth_advertiser_conflicts_nodes{resource_name="${name}",reason="held"} 1`,
    )
  })

  test('applies neither of two declarations that select the same node', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a', { labels: { a: 'b' } })
    const other = { name, units: 5, nodes: { selector: { matchLabels: { a: 'b' } } } }
    await expect(cluster.run('once', [dongles(4, 'node-a'), other])).rejects.toMatchObject({
      code: 'BERTH_ADVERTISER_INCOMPLETE',
    })
    expect(cluster.lines).toContainEqual(
      expect.objectContaining({
        reason: `${name} is not written: resources[0] and resources[1] all select this node; keep one`,
      }),
    )
    expect((await cluster.node('node-a')).status?.capacity).not.toHaveProperty([name])
  })

  test('writes nothing to a node with an invalid ownership annotation', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a', { annotations: { 'berth.dev/advertised': '{"cpu":"2"}' } })
    const before = await cluster.node('node-a')
    await expect(cluster.run('prune', [])).rejects.toMatchObject({ code: 'BERTH_ADVERTISER_INCOMPLETE' })
    expect(await cluster.node('node-a')).toEqual(before)
    expect(cluster.events.at(-1)?.note).toContain('names "cpu", which is not an extended resource')
  })

  test('treats a node that is deleted during the write as done', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a')
    cluster.intercept(({ method }) => (method === 'PATCH' ? refused(404, 'NotFound') : undefined))
    expect(await cluster.run('once', [dongles(4, 'node-a')])).toBe('')
  })

  test('lowers nothing if it may not list the pods', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a')
    await cluster.run('once', [dongles(4, 'node-a')])
    cluster.intercept(({ path }) => (path.startsWith('/api/v1/pods') ? refused(403, 'Forbidden') : undefined))
    await expect(cluster.run('once', [dongles(2, 'node-a')])).rejects.toMatchObject({
      code: 'BERTH_ADVERTISER_INCOMPLETE',
    })
    expect((await cluster.node('node-a')).status?.capacity?.[name]).toBe('4')
    expect(cluster.lines).toContainEqual(
      expect.objectContaining({
        reason: expect.stringContaining('cannot read what the running pods of the node hold'),
      }),
    )
    await expect(cluster.run('prune', [])).rejects.toMatchObject({ code: 'BERTH_ADVERTISER_IN_USE' })
  })

  test.for([
    { argv: { once: false, dryRun: false }, command: undefined, mode: 'watch' },
    { argv: { once: true, dryRun: false }, command: undefined, mode: 'once' },
    { argv: { once: true, dryRun: true }, command: undefined, mode: 'plan' },
    { argv: { once: false, dryRun: false }, command: 'plan', mode: 'plan' },
    { argv: { once: false, dryRun: false }, command: 'adopt', mode: 'adopt' },
    { argv: { once: false, dryRun: true }, command: 'adopt', mode: 'plan-adopt' },
    { argv: { once: true, dryRun: false }, command: 'prune', mode: 'prune' },
    { argv: { once: false, dryRun: true }, command: 'prune', mode: 'plan-prune' },
    { argv: { once: false, dryRun: true }, command: 'migrate', mode: 'migrate' },
  ])('selects $mode for the command $command with $argv', ({ argv, command, mode }) => {
    expect(selectMode(argv, command)).toBe(mode)
  })

  test('migrate prints objects of DRA, says what it leaves out, and writes nothing', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a')
    await cluster.addNode('node-b')
    const everywhere = { name: 'example.com/seat', units: 1, nodes: { selector: {} } }
    const before = cluster.requests.length
    const text = await cluster.run('migrate', [dongles(2, 'node-a'), everywhere, { ...everywhere, units: 2 }])
    expect(text).toContain('# Pods start only with a DRA driver on their node')
    const documents = parseAllDocuments(text).map((document) => document.toJS() as { kind: string; spec: unknown })
    expect(documents).toMatchObject([
      { kind: 'DeviceClass', spec: { extendedResourceName: name } },
      { kind: 'ResourceSlice', spec: { nodeName: 'node-a', devices: [{ name: 'unit-0' }, { name: 'unit-1' }] } },
    ])
    const reason = 'resources[1] and resources[2] contradict each other'
    for (const node of ['node-a', 'node-b'])
      expect(text).toContain(`# Left out: example.com/seat on node ${node}: ${reason}\n`)
    expect(cluster.requests.slice(before).filter(({ method }) => method !== 'GET')).toEqual([])
  })

  test('plan shows texts of a node without control characters, in one line', async () => {
    await using cluster = await testCluster()
    const since = 'today\u001b[2J\nnode-b:\n  all is well\u202e'
    const annotations = {
      'berth.dev/advertised': JSON.stringify({ [name]: '4' }),
      'berth.dev/advertised-by': JSON.stringify({ owner: 'lab/other', since }),
    }
    await cluster.addNode('node-a', { annotations })
    const text = await cluster.run('plan', [dongles(4, 'node-a')])
    expect(text.split('\n').map((line) => line.slice(0, 10))).toEqual(['node-a:', '  nothing ', '0 of 1 nod', ''])
    expect(text).toContain('lab/other since today node-b:   all is well; remove')
  })

  test('plan prints every change and writes nothing', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a')
    await cluster.addNode('node-b', {}, { [name]: '3' })
    const before = [await cluster.node('node-a'), await cluster.node('node-b')]
    expect(await cluster.run('plan', [dongles(4, 'node-a', 'node-b')])).toBe(
      [
        'node-a:',
        `  ${name}: none -> 4`,
        'node-b:',
        `  ${name} is not written (4 declared): the node already offers 3, which Berth did not write; remove it by hand, or take it over with the command adopt`,
        '1 of 2 nodes would be changed, 1 with conflicts.',
        '',
      ].join('\n'),
    )
    expect([await cluster.node('node-a'), await cluster.node('node-b')]).toEqual(before)
  })

  test('plan has the exit codes of kubectl diff: 0 no change, 1 changes, 2 what cannot be written', async () => {
    await using cluster = await testCluster()
    await cluster.addNode('node-a')
    await cluster.addNode('node-b', {}, { [name]: '3' })
    const code = async (...declared: readonly ReturnType<typeof dongles>[]) => await cluster.exit('plan', declared)
    expect(await code(dongles(4, 'node-a'))).toMatchObject({ code: 1, stream: 'stdout' })
    await cluster.run('once', [dongles(4, 'node-a')])
    expect(await code(dongles(4, 'node-a'))).toMatchObject({
      code: 0,
      text: '0 of 2 nodes would be changed.\n',
    })
    expect(await code(dongles(4, 'node-a', 'node-b'))).toMatchObject({ code: 2, stream: 'stdout' })
    expect(await code(dongles(4, 'node-a', 'node-z'))).toMatchObject({ code: 2, stream: 'stdout' })
    expect((await cluster.exit('plan-prune', [])).code).toBe(0)
  })
})
