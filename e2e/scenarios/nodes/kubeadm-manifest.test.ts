import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { controlPlaneOf, manifestChecks, untilSchedulerReady } from '../../checks/scheduler-manifest.ts'
import { SCHEDULER_USER, schedulerRightsCheck } from '../../checks/scheduler-rights.ts'
import { auditRequestsOf } from '../../cluster/audit-log.ts'
import type { ControlPlane } from '../../cluster/control-plane-manifest.ts'
import { readSchedulerImage, replaceSchedulerImage } from '../../cluster/scheduler-manifest.ts'
import { pausePod, runCheck, type TestCluster } from '../../cluster/test-cluster.ts'
import { testEnvironment } from '../../cluster/test-environment.ts'
import { buildAppImage } from '../../image/app-image.ts'
import { loadImage } from '../../image/load-image.ts'

const { engine, kind, isOffline } = testEnvironment()
const { tag: image } = await buildAppImage({ engine, isOffline, target: 'kube-scheduler', log: console.log })
const checks = [...manifestChecks(image), schedulerRightsCheck].map((each) => [each.name, each] as const)

async function untilPodsRun(testCluster: TestCluster): Promise<void> {
  const name = testCluster.uniqueName('scheduled-again')
  await testCluster.createPod(pausePod(name, {}))
  await testCluster.untilRunning(name)
}

describe("kubeadm's manifest of kube-scheduler with only the image changed", () => {
  let controlPlane: ControlPlane
  let original = ''
  let restore: AsyncDisposable | undefined
  let audit: AsyncDisposable | undefined

  beforeAll(async () => {
    await runCheck(
      async (testCluster) => {
        controlPlane = { engine, node: await controlPlaneOf(testCluster) }
      },
      { waitMs: 10_000 },
    )
    original = await readSchedulerImage(controlPlane)
    await loadImage({ engine, kind, tag: image, nodes: [controlPlane.node] })
    audit = await auditRequestsOf(controlPlane, SCHEDULER_USER)
    // The audit log restarts the API server, and kube-scheduler loses its Lease meanwhile.
    const result = await runCheck(untilPodsRun, { waitMs: 180_000 })
    if (!result.holds) throw new Error(`kube-scheduler does not schedule with the audit log: ${result.why}`)
  })

  afterAll(async () => {
    await restore?.[Symbol.asyncDispose]()
    await audit?.[Symbol.asyncDispose]()
  })

  describe('before the change', () => {
    test.for(checks)('fails: %s', async ([, { run, failureText }]) => {
      const why = expect.stringContaining(failureText) as string
      expect(await runCheck(run, { waitMs: 4_000 })).toEqual({ holds: false, why })
    })
  })

  describe('after the change', () => {
    beforeAll(async () => {
      restore = await replaceSchedulerImage(controlPlane, image)
    })

    test.for(checks)('%s', async ([, { run }]) => {
      expect(await runCheck(run, { waitMs: 180_000 })).toEqual({ holds: true })
    })
  })

  test('kube-scheduler runs again once the manifest is restored', async () => {
    await restore?.[Symbol.asyncDispose]()
    restore = undefined
    const untilReady = (testCluster: TestCluster): Promise<void> => untilSchedulerReady(testCluster, original)
    expect(await runCheck(untilReady, { waitMs: 180_000 })).toEqual({ holds: true })
  })
})
