import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  controlPlaneOf,
  expectPlacedBy,
  untilHoldsLease,
  untilSchedulerReady,
} from '../../checks/scheduler-manifest.ts'
import { removeManifest } from '../../cluster/control-plane-manifest.ts'
import { installRelease, NAMESPACE, type Release } from '../../cluster/release.ts'
import { readSchedulerImage } from '../../cluster/scheduler-manifest.ts'
import { runCheck, type CheckFunction } from '../../cluster/test-cluster.ts'
import { testEnvironment } from '../../cluster/test-environment.ts'

const { engine } = testEnvironment()
const outcomeOf = (check: CheckFunction): ReturnType<typeof runCheck> => runCheck(check, { waitMs: 180_000 })

let release: Release | undefined
let manifest: AsyncDisposable | undefined

beforeAll(async () => {
  const values = { scheduler: { replacesKubeScheduler: true, replicas: 2 } }
  release = await installRelease({ profile: 'scheduler-only', podSecurity: 'restricted', values })
})

afterAll(async () => {
  await manifest?.[Symbol.asyncDispose]()
  await release?.[Symbol.asyncDispose]()
})

test('with the chart, Berth waits while kube-scheduler holds the Lease, takes over when it stops, and keeps the Lease', async () => {
  const outcome = await outcomeOf(async (testCluster) => {
    await untilHoldsLease(testCluster, 'kube-scheduler')
    await expectPlacedBy(testCluster, 'kube-scheduler', 'before')

    const controlPlane = { engine, node: await controlPlaneOf(testCluster) }
    const image = await readSchedulerImage(controlPlane)
    manifest = await removeManifest(controlPlane, 'kube-scheduler')
    await untilHoldsLease(testCluster, 'berth')
    await expectPlacedBy(testCluster, 'berth', 'taken-over')

    await manifest[Symbol.asyncDispose]()
    await untilSchedulerReady(testCluster, image)
    await expectPlacedBy(testCluster, 'berth', 'kept')
  })
  expect(outcome).toEqual({ holds: true })
})

test('kube-scheduler places pods again once Berth is scaled down', async () => {
  const outcome = await outcomeOf(async (testCluster) => {
    await testCluster.kubectl('scale', 'deployment', 'berth-scheduler', '-n', NAMESPACE, '--replicas=0')
    await untilHoldsLease(testCluster, 'kube-scheduler')
    await expectPlacedBy(testCluster, 'kube-scheduler')
  })
  expect(outcome).toEqual({ holds: true })
})
