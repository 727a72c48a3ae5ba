import { expect, test } from 'vitest'
import { NAMESPACE, RELEASE, installRelease } from '../../cluster/release.ts'
import { check, pausePod, play } from '../../cluster/test-cluster.ts'
import { advertiserValues } from '../../checks/advertiser.ts'
import { DONGLE } from '../../checks/dongles.ts'

test('an uninstall that was refused and is then forced takes back what a running pod holds, and leaves the pod alone', async () => {
  const outcome = await play(
    async (scene) => {
      const node = scene.workers[0] ?? ''
      await using release = await installRelease({
        profile: 'advertiser-only',
        values: advertiserValues(scene.workers),
      })
      const holder = scene.name('holder')
      await scene.createPod(pausePod(holder, { [DONGLE]: '1' }))
      await scene.untilRunning(holder)
      const refused = await release.uninstall()
      check(refused.status !== 0, 'it was not refused before it was forced')
      const patch = JSON.stringify({ data: { force: 'true' } })
      await scene.kubectl('patch', 'configmap', `${RELEASE}-uninstall`, '--namespace', NAMESPACE, '--patch', patch)
      const { status, stderr } = await release.uninstall()
      check(status === 0, `the uninstall failed: ${stderr}`)
      check(
        (await scene.units(node, DONGLE)) === '-/-',
        `${node} still offers ${await scene.units(node, DONGLE)} dongles`,
      )
      await scene.untilRunning(holder)
    },
    { waitMs: 180_000 },
  )
  expect(outcome).toEqual({ holds: true })
})
