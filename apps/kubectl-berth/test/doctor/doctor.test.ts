import { describe, expect, test } from 'vitest'
import { checks } from '../../src/doctor/checks.ts'
import { checkIds } from '../../src/doctor/doctor-command.ts'
import { addReportingNode } from '../extensions/surveyed-objects.ts'
import { testCluster } from '../test-cluster.ts'

const dongle = 'example.com/dongle'
const leftover = { capacity: { cpu: '4', [dongle]: '0' }, allocatable: { cpu: '4', [dongle]: '0' } }
const lost = { capacity: { cpu: '4', [dongle]: '4' }, allocatable: { cpu: '4', [dongle]: '0' } }

test('the command line names every check, in the order of the output', () => {
  expect(checks.map(({ id }) => id)).toEqual(checkIds)
})

describe('doctor', () => {
  test('ends well on a cluster with nothing to check, and says so', async () => {
    const cluster = testCluster()
    expect(await cluster.run('doctor')).toBe(`NONE     Device plugins reach the kubelet: nothing to check
NONE     Namespaces admit pods that mount the host: nothing to check
NONE     Nodes list only resources that something offers: nothing to check
NONE     Schedulers reach their extenders: nothing to check
NONE     Certificates of the extender are valid and trusted: nothing to check
NONE     One scheduler at a time serves each schedulerName: nothing to check
NONE     Rate limits of schedulers suit the cluster: nothing to check
`)
  })

  test.for([40, 60])('fits into %i columns', async (columns) => {
    const cluster = testCluster()
    Object.assign(cluster.terminal, { columns, tableColumns: columns })
    const lines = (await cluster.run('doctor')).split('\n')
    expect(lines.filter(({ length }) => length > columns)).toEqual([])
    expect(lines[0]).toMatch(/^NONE {5}Device plugins reach/)
    expect(lines[1]).toMatch(/^ {9}\S|^NONE/)
  })

  test('prints the evidence and a fix that was tried below a warning, and ends well', async () => {
    const cluster = testCluster()
    await addReportingNode(cluster, 'node-a', leftover)
    expect(await cluster.run('doctor', 'stale-resources', '-o', 'wide')).toBe(
      `WARNING  Nodes list only resources that something offers
    Examined example.com/dongle.
  warning: example.com/dongle is listed with 0 units by node node-a, and nothing
  declares it.
    No pod with a node requests it.
    No device plugin runs there.
    Fix: Remove the name from the status of the nodes. The advertiser does this
    by itself with clearStaleZeros.
      kubectl patch node node-a --subresource=status --type=json -p '[{"op":"test","path":"/status/capacity/example.com~1dongle","value":"0"},{"op":"remove","path":"/status/capacity/example.com~1dongle"},{"op":"test","path":"/status/allocatable/example.com~1dongle","value":"0"},{"op":"remove","path":"/status/allocatable/example.com~1dongle"}]'
    The API server accepted it in a dry run. The command changes nothing if the
    node has units by then: it tests for 0 first.
`,
    )
  })

  test('fails with a code after the output when there is a problem', async () => {
    const cluster = testCluster()
    await addReportingNode(cluster, 'node-a', lost)
    await expect(cluster.run('doctor', 'stale-resources')).rejects.toMatchObject({
      code: 'BERTH_KUBECTL_DOCTOR',
      message: 'doctor: stale-resources (problem)',
    })
    expect(cluster.terminal.output()).toContain('PROBLEM  Nodes list only resources that something offers')
  })

  test('fails for warnings and incomplete checks only with --strict', async () => {
    const warning = testCluster()
    await addReportingNode(warning, 'node-a', leftover)
    await warning.run('doctor', 'stale-resources')
    await expect(warning.run('doctor', 'stale-resources', '--strict')).rejects.toThrow('stale-resources (warning)')
    const incomplete = testCluster()
    incomplete.forbid('nodes')
    expect(await incomplete.run('doctor', 'stale-resources')).toContain('Incomplete: nodes are unknown')
    await expect(incomplete.run('doctor', 'stale-resources', '--strict')).rejects.toThrow('stale-resources (unknown)')
  })

  test('writes a record for each check and finding as CSV', async () => {
    const cluster = testCluster()
    await addReportingNode(cluster, 'node-a', leftover)
    const [header, first, second] = (
      await cluster.run('doctor', 'client-limits', 'stale-resources', '-o', 'csv')
    ).split('\n')
    expect(header).toBe('check,status,severity,sentence,evidence,fix,commands,state')
    expect(first).toBe(
      'stale-resources,warning,warning,"example.com/dongle is listed with 0 units by node node-a, and nothing declares it.","No pod with a node requests it.',
    )
    expect(second).toContain('No device plugin runs there.')
    expect(await cluster.run('doctor', 'client-limits', '-o', 'csv')).toBe(`${header}\nclient-limits,nothing,,,,,,\n`)
  })

  test('prints no command for a name that Kubernetes would not accept', async () => {
    const cluster = testCluster()
    const name = 'web -n default; touch X; #'
    cluster.serve('/api/v1/nodes', {
      metadata: {},
      items: [{ metadata: { name }, status: { capacity: { [dongle]: '4' }, allocatable: { [dongle]: '0' } } }],
    })
    await expect(cluster.run('doctor', 'stale-resources')).rejects.toThrow('stale-resources (problem)')
    expect(cluster.terminal.output()).not.toMatch(/^ {6}kubectl/m)
    expect(cluster.terminal.output()).toContain('A person must make this change.')
  })
})
