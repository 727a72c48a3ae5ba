import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { extensionKinds } from '../../src/extensions/extensions-command.ts'
import type { SurveyResult } from '../../src/extensions/survey-cluster.ts'
import { surveys } from '../../src/extensions/surveys.ts'
import { testCluster } from '../test-cluster.ts'
import { found, addLease } from './survey-of.ts'
import { addReportingNode } from './surveyed-objects.ts'

const dongle = 'example.com/dongle'

test('the command line names every kind, in the order of the output', () => {
  expect(surveys.map(({ kind }) => kind)).toEqual(extensionKinds)
})

describe('kubectl plugins', () => {
  test('are found on the PATH; one behind another of its name, and one that is not executable, do not run', async () => {
    const [first, second] = [mkdtempSync(join(tmpdir(), 'path-')), mkdtempSync(join(tmpdir(), 'path-'))]
    const add = (dir: string, name: string, mode: number): void => {
      writeFileSync(join(dir, name), '')
      chmodSync(join(dir, name), mode)
    }
    add(first, 'kubectl-berth', 0o755)
    add(second, 'kubectl-berth', 0o755)
    add(second, 'kubectl-foo-bar_baz', 0o644)
    add(second, 'other', 0o755)
    const cluster = testCluster({}, { PATH: [first, second, join(second, 'missing')].join(delimiter) })
    const { lines } = await found(cluster, 'kubectl-plugins')
    expect(lines).toEqual([
      'kubectl berth: unknown, healthy',
      'kubectl berth: unknown, unhealthy',
      'kubectl foo bar-baz: unknown, unhealthy',
    ])
    expect(await cluster.run('extensions', 'kubectl-plugins')).toContain(`kubectl runs ${join(first, 'kubectl-berth')}`)
  })
})

describe('the whole survey', () => {
  test('of an almost empty cluster names the kinds of which nothing was found', async () => {
    const cluster = testCluster()
    await addReportingNode(cluster, 'node-a', { amounts: { [dongle]: '4' } })
    await addLease(cluster, 'kube-scheduler', 'node-a_1')
    expect(await cluster.run('extensions')).toBe(`SCHEDULERS
NAME                USED   HEALTH
default-scheduler   no     healthy
    Scheduler default-scheduler: node-a_1 holds the Lease
    kube-system/kube-scheduler, renewed 0s ago.

EXTENDED RESOURCES
NAME                 USED   HEALTH
example.com/dongle   no     healthy
    4 units on node node-a: written by the kubelet, for a device plugin.

CONTAINER RUNTIMES (CRI)
NAME           USED   HEALTH
not reported   no     healthy
    Nodes: node-a.

None found: Scheduler extenders, Device plugins, DRA drivers, CSI drivers,
Network plugins (CNI), Virtual nodes (Virtual Kubelet, simulated), Cloud
providers, Encryption of stored objects (KMS), Admission webhooks, Aggregated
APIs, Custom resources and their controllers, kubectl plugins on this machine.
`)
  })

  test('for a user with rights in one namespace says for each kind what is missing', async () => {
    const cluster = testCluster()
    await cluster.addPod('own', { [dongle]: '1' }, { nodeName: 'node-a' })
    cluster.forbid('nodes', 'csinodes', 'clusterroles')
    cluster.forbidClusterWide('pods')
    const { surveys: results } = JSON.parse(await cluster.run('extensions', '-o', 'json'))
    const missing = new Map((results as readonly SurveyResult[]).map((result) => [result.kind, result.missing]))
    expect(missing.get('csi-drivers')?.join(' ')).toMatch(/csinodes are unknown: .*Only pods of namespace default/)
    expect(missing.get('extended-resources')?.join(' ')).toContain('grant the verb "list" on "nodes"')
    expect(missing.get('webhooks')).toEqual([])
    expect(await cluster.run('extensions', 'extended-resources')).toContain('Incomplete: nodes are unknown')
  })

  test('names three users, and all of them with -o wide', async () => {
    const cluster = testCluster()
    await addReportingNode(cluster, 'node-a', { amounts: { [dongle]: '9' } })
    for (const name of ['a', 'b', 'c', 'd']) await cluster.addPod(name, { [dongle]: '1' }, { nodeName: 'node-a' })
    expect(await cluster.run('extensions', 'extended-resources')).toContain(
      'Used by pod default/a, pod default/b, pod default/c and 1 more.',
    )
    expect(await cluster.run('extensions', 'extended-resources', '-o', 'wide')).toContain('pod default/d')
    expect(await cluster.run('extensions', 'extended-resources', '-o', 'yaml')).toMatch(/^surveys:\n {2}- kind: /)
    expect(await cluster.run('extensions', 'extended-resources', '-o', 'csv'))
      .toBe(`kind,name,use,health,usedBy,evidence
extended-resources,example.com/dongle,used,healthy,"pod default/a
pod default/b
pod default/c
pod default/d","9 units on node node-a: written by the kubelet, for a device plugin."
`)
  })
})
