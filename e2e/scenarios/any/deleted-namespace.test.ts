import type { Pod } from '@berth/types'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { advertiserValues } from '../../checks/advertiser.ts'
import { devicePluginValues, SLOT } from '../../checks/device-plugin.ts'
import { DONGLE } from '../../checks/dongles.ts'
import { readStableState, waitUntilSettled } from '../../cluster/cluster-state.ts'
import type { ClusterState } from '../../cluster/diff-states.ts'
import { mergeValues } from '../../cluster/merge-values.ts'
import { installRelease, NAMESPACE, type Release } from '../../cluster/release.ts'
import { runOrThrow } from '../../cluster/run-command.ts'
import { connectToTestCluster, expectThat, pausePod, runCheck, type TestCluster } from '../../cluster/test-cluster.ts'
import { testEnvironment } from '../../cluster/test-environment.ts'
import { untilRestored } from '../../cluster/until-restored.ts'

const environment = testEnvironment()

/** Deletes the namespace of the release with everything in it, also the record of Helm and the pods of all apps. */
async function deleteNamespace(): Promise<void> {
  const kubectl = ['--kubeconfig', environment.kubeconfig]
  const args = [...kubectl, 'delete', 'namespace', NAMESPACE, '--ignore-not-found', '--timeout=180s']
  await runOrThrow('kubectl', args, { timeoutMs: 200_000 })
}

describe('kubectl delete namespace, with pods that hold what Berth provides', () => {
  const cluster = connectToTestCluster()
  const { client } = cluster
  let before: ClusterState | undefined
  let release: Release | undefined

  const install = ({ workers }: TestCluster): Promise<Release> =>
    installRelease({ profile: 'full', values: mergeValues(advertiserValues(workers), devicePluginValues) })

  beforeAll(async () => {
    await deleteNamespace()
    await waitUntilSettled(client)
    before = await readStableState(client, environment)
  })

  afterAll(async () => {
    await release?.[Symbol.asyncDispose]()
    await cluster[Symbol.asyncDispose]()
  })

  test('running pods keep their units and devices, and the same installation serves the nodes again', async () => {
    const outcome = await runCheck(
      async (testCluster) => {
        const node = testCluster.workers[0] ?? ''
        release = await install(testCluster)
        await testCluster.untilUnits(node, DONGLE, '4/4')
        await testCluster.untilUnits(node, SLOT, '4/4')
        const holder = testCluster.uniqueName('holder')
        await testCluster.createPod(pausePod(holder, { [DONGLE]: '1', [SLOT]: '1' }))
        const started = await testCluster.untilRunning(holder)
        const expectKept = ({ metadata, status }: Pod): void => {
          const restarts = status?.containerStatuses?.[0]?.restartCount
          expectThat(metadata.uid === started.metadata.uid && restarts === 0, 'the pod was replaced or restarted')
        }

        await deleteNamespace()
        // Nothing withdraws what the advertiser wrote, and the kubelet offers no device without a plugin.
        await testCluster.until(`no allocatable slot on ${node}`, async () =>
          (await testCluster.units(node, SLOT)).endsWith('/0') ? true : undefined,
        )
        const dongles = await testCluster.units(node, DONGLE)
        expectThat(dongles === '4/4', `${node} offers ${dongles} dongles`)
        expectKept(await testCluster.untilRunning(holder))

        release = await install(testCluster)
        await testCluster.untilUnits(node, DONGLE, '4/4')
        await testCluster.untilUnits(node, SLOT, '4/4')
        const others = testCluster.uniqueName('others')
        await testCluster.createPod(pausePod(others, { [DONGLE]: '3', [SLOT]: '3' }))
        await testCluster.untilRunning(others)
        expectKept(await testCluster.untilRunning(holder))
        const { status, stderr } = await release.uninstall()
        expectThat(status !== 0 && stderr.includes(holder), `the uninstall was not refused for ${holder}: ${stderr}`)
      },
      { waitMs: 240_000 },
    )
    expect(outcome).toEqual({ holds: true })
  })

  test('an uninstall then leaves nothing behind', async () => {
    const result = await release?.uninstall()
    expect(result).toMatchObject({ status: 0 })
    await deleteNamespace()
    const diff = await untilRestored({ client, environment, before: before as ClusterState, served: [SLOT] })
    expect(diff.differences).toEqual([])
  })
})
