import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resourceRefs, type Cluster } from '@berth/k8s-client'
import { notesCommands } from '@berth/testing'
import type { Node, Pod } from '@berth/types'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readStableState, waitUntilSettled } from '../../cluster/cluster-state.ts'
import { mergeValues } from '../../cluster/merge-values.ts'
import { packPlugin } from '../../cluster/packed-plugin.ts'
import { readCertificates } from '../../cluster/read-certificates.ts'
import { NAMESPACE, RELEASE, ensureNamespace, installRelease, type Release } from '../../cluster/release.ts'
import { runCommand, type CommandResult } from '../../cluster/run-command.ts'
import { connectToTestCluster, pausePod, runCheck, type TestCluster } from '../../cluster/test-cluster.ts'
import { observeDuring } from '../../cluster/observe-during.ts'
import { testEnvironment } from '../../cluster/test-environment.ts'
import type { ClusterState } from '../../cluster/diff-states.ts'
import { untilRestored } from '../../cluster/until-restored.ts'
import { listWorkers } from '../../cluster/workers.ts'
import { advertiserChecks, advertiserValues } from '../../checks/advertiser.ts'
import { SLOT, devicePluginChecks, devicePluginValues } from '../../checks/device-plugin.ts'
import { DONGLE } from '../../checks/dongles.ts'
import { explainCheck } from '../../checks/explain.ts'
import { ignoredValues, lastLicenceCheck, licenceCheck } from '../../checks/extender.ts'
import { PACKED_SEAT, packedPluginChecks, packedPluginValues } from '../../checks/packed-plugins.ts'
import { schedulerChecks, schedulerValues } from '../../checks/scheduler.ts'

const environment = testEnvironment()

/** Creates ConfigMaps with the packed plugins and a file of seats, and returns the chart values that use them. */
async function contributedValues({ client }: Cluster, workers: readonly string[]): Promise<unknown> {
  const pack = (name: string): Promise<unknown> => packPlugin(client, `examples/plugins/${name}`, NAMESPACE)
  const seats = { metadata: { name: 'seats', namespace: NAMESPACE }, data: { seats: 'alice\nbob\ncarol\n' } }
  await client.delete(resourceRefs.configMaps, seats.metadata)
  await client.create(resourceRefs.configMaps, seats)
  return packedPluginValues(workers, {
    scheduling: await pack('scheduling'),
    deviceSource: await pack('device-source'),
    resourceSource: await pack('resource-source'),
    seats: 'seats',
  })
}

/** Runs a shell script with the kubectl, Helm and kubeconfig of this run. */
async function inShell(script: string): Promise<CommandResult> {
  const bin = await mkdtemp(join(tmpdir(), 'berth-bin-'))
  try {
    await symlink(environment.helm, join(bin, 'helm'))
    const env = { PATH: `${bin}:${process.env['PATH'] ?? ''}`, KUBECONFIG: environment.kubeconfig }
    return await runCommand('bash', ['-euo', 'pipefail', '-c', script], { env, timeoutMs: 400_000 })
  } finally {
    await rm(bin, { recursive: true })
  }
}

/** Returns the uids of the release's pods that are not being deleted, by app. */
async function podsByApp({ client }: TestCluster): Promise<Readonly<Record<string, readonly string[]>>> {
  const { items } = await client.list<Pod>(resourceRefs.pods, { namespace: NAMESPACE })
  const found: Record<string, string[]> = {}
  for (const { metadata } of items) {
    if (metadata.deletionTimestamp !== undefined) continue
    const app = metadata.labels?.['app.kubernetes.io/component'] ?? '?'
    found[app] = [...(found[app] ?? []), metadata.uid ?? ''].toSorted()
  }
  return Object.fromEntries(Object.entries(found).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

describe('all apps together', () => {
  const cluster = connectToTestCluster()
  const { client } = cluster
  let before: ClusterState | undefined
  let release: Release | undefined
  let values: unknown

  beforeAll(async () => {
    const workers = await listWorkers(client)
    await ensureNamespace('privileged')
    const contributed = await contributedValues(cluster, workers)
    await waitUntilSettled(client)
    before = await readStableState(client, environment)
    values = mergeValues(advertiserValues(workers), devicePluginValues, ignoredValues, schedulerValues, contributed)
    release = await installRelease({ profile: 'full', values })
  })

  afterAll(async () => {
    await release?.[Symbol.asyncDispose]()
    await cluster[Symbol.asyncDispose]()
  })

  const checks = [
    ...advertiserChecks,
    ...devicePluginChecks,
    licenceCheck,
    lastLicenceCheck,
    ...schedulerChecks,
    ...packedPluginChecks,
    explainCheck,
  ]
  test.for(checks.map((each) => [each.name, each] as const))('%s', async ([, { run }]) => {
    expect(await runCheck(run, { waitMs: 180_000 })).toEqual({ holds: true })
  })

  test('an upgrade replaces only the pods of the app whose configuration changes, and removes no resource', async () => {
    const spare = 'example.com/spare'
    const outcome = await runCheck(
      async (testCluster) => {
        const [first = '', second = ''] = testCluster.workers
        const [podsBefore, certificates] = [await podsByApp(testCluster), await readCertificates(testCluster)]
        expect(Object.keys(podsBefore)).toEqual(['advertiser', 'authority', 'device-plugin', 'extender', 'scheduler'])
        expect(certificates.size).toBe(2)
        const more = { advertiser: { config: { resources: [{ name: spare, units: 2, nodes: { names: [second] } }] } } }
        const upgrade = (async () => release?.upgrade(mergeValues(values, more)))()
        const seen = await observeDuring(
          upgrade,
          async () =>
            `${await testCluster.units(first, DONGLE)} dongles, ${await testCluster.units(first, SLOT)} slots`,
        )
        await testCluster.until(`two of ${spare} on ${second}`, async () =>
          (await testCluster.units(second, spare)) === '2/2' ? true : undefined,
        )
        expect(seen).toEqual(['4/4 dongles, 4/4 slots'])
        expect(await readCertificates(testCluster)).toEqual(certificates)
        const { advertiser: newOnes = [], ...others } = await podsByApp(testCluster)
        const { advertiser: oldOnes = [], ...othersBefore } = podsBefore
        expect(others).toEqual(othersBefore)
        expect(newOnes).toHaveLength(1)
        expect(oldOnes).not.toContain(newOnes[0])
      },
      { waitMs: 180_000 },
    )
    expect(outcome).toEqual({ holds: true })
  })

  test('the commands that NOTES.txt prints work unchanged, including helm test', async () => {
    const commands = notesCommands(release?.notes ?? '')
    expect(commands.join('\n')).toMatch(/^helm .* test /m)
    expect(commands.length).toBeGreaterThan(4)
    for (const command of commands) {
      const result = await inShell(command)
      console.log(`$ ${command}\n${result.stdout}`)
      expect({ command, ...result }).toMatchObject({ status: 0 })
    }
  })

  test.for([
    ['an advertised resource', DONGLE],
    ['a device', SLOT],
  ] as const)('an uninstall is refused while a running pod holds %s, and names the pod', async ([, resource]) => {
    const outcome = await runCheck(
      async (testCluster) => {
        const [holder, idler] = [testCluster.uniqueName('holder'), testCluster.uniqueName('idler')]
        await testCluster.createPod(pausePod(holder, { [resource]: '1' }))
        await testCluster.createPod(pausePod(idler, {}))
        await testCluster.untilRunning(holder)
        await testCluster.untilRunning(idler)
        const { status, stdout, stderr } = (await release?.uninstall()) ?? { status: 0, stdout: '', stderr: '' }
        expect(status).not.toBe(0)
        expect(`${stdout}${stderr}`).toContain(holder)
        expect(`${stdout}${stderr}`).toContain(resource)
        expect(`${stdout}${stderr}`).not.toContain(idler)
        const [node = ''] = testCluster.workers
        expect(await testCluster.units(node, DONGLE)).toBe('4/4')
        expect(await testCluster.units(node, SLOT)).toBe('4/4')
      },
      { waitMs: 180_000 },
    )
    expect(outcome).toEqual({ holds: true })
  })

  test('the uninstall command of NOTES.txt restores the previous state of the cluster', async () => {
    const [, command = ''] = /^ {2}(helm .*uninstall .*)$/m.exec(release?.notes ?? '') ?? []
    expect(command).toBe(`helm --namespace ${NAMESPACE} uninstall ${RELEASE}`)
    const result = await inShell(command)
    expect(result).toMatchObject({ status: 0 })
    const served = [SLOT, PACKED_SEAT]
    const diff = await untilRestored({ client, environment, before: before as ClusterState, served })
    expect(diff.differences).toEqual([])
    // On every node, including the control plane.
    const nodes = (await client.list<Node>(resourceRefs.nodes)).items.map(({ metadata }) => metadata.name ?? '')
    const expected = nodes.flatMap((node) => [`${node} keeps ${PACKED_SEAT} 0/0`, `${node} keeps ${SLOT} 0/0`])
    expect(diff.kept).toEqual(expected.toSorted())
  })
})
