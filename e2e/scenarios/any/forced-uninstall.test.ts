import { expect, test } from 'vitest'
import { NAMESPACE, RELEASE, installRelease } from '../../cluster/release.ts'
import { expectThat, pausePod, runCheck } from '../../cluster/test-cluster.ts'
import { advertiserValues } from '../../checks/advertiser.ts'
import { DONGLE } from '../../checks/dongles.ts'

test('a refused uninstall that is then forced withdraws the resource that a running pod holds and does not affect the pod', async () => {
  const outcome = await runCheck(
    async (testCluster) => {
      const node = testCluster.workers[0] ?? ''
      await using release = await installRelease({
        profile: 'advertiser-only',
        values: advertiserValues(testCluster.workers),
      })
      const holder = testCluster.uniqueName('holder')
      await testCluster.createPod(pausePod(holder, { [DONGLE]: '1' }))
      await testCluster.untilRunning(holder)
      const refused = await release.uninstall()
      expectThat(refused.status !== 0, 'it was not refused before it was forced')
      const patch = JSON.stringify({ data: { force: 'true' } })
      await testCluster.kubectl(
        'patch',
        'configmap',
        `${RELEASE}-uninstall`,
        '--namespace',
        NAMESPACE,
        '--patch',
        patch,
      )
      const { status, stderr } = await release.uninstall()
      expectThat(status === 0, `the uninstall failed: ${stderr}`)
      expectThat(
        (await testCluster.units(node, DONGLE)) === '-/-',
        `${node} still offers ${await testCluster.units(node, DONGLE)} dongles`,
      )
      await testCluster.untilRunning(holder)
    },
    { waitMs: 180_000 },
  )
  expect(outcome).toEqual({ holds: true })
})
