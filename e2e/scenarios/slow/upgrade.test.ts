import { resourceRefs } from '@berth/k8s-client'
import { eventually } from '@berth/testing'
import type { KubernetesObject, PodSpec } from '@berth/types'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectNothingLost, versionChangeValues } from '../../checks/version-change.ts'
import { installRelease, NAMESPACE, RELEASE, versionUnderTest } from '../../cluster/release.ts'
import type { ChartVersion, Release } from '../../cluster/release.ts'
import { connectToTestCluster, expectThat, runCheck, type TestCluster } from '../../cluster/test-cluster.ts'
import { testEnvironment } from '../../cluster/test-environment.ts'
import { listWorkers } from '../../cluster/workers.ts'
import { loadImage } from '../../image/load-image.ts'
import { buildPreviousRelease, PREVIOUS_COMMIT } from '../../image/previous-release.ts'

const { engine, kind, nodeContainers, isOffline } = testEnvironment()
/** Deletes the record that an interrupted upgrade left. The README of the chart gives this command. */
const forgetUpgrade = ['delete', 'secret', '--selector', `owner=helm,name=${RELEASE},status=pending-upgrade`]

/** A DaemonSet or Deployment, with the fields that hold images. */
interface Workload extends KubernetesObject {
  readonly spec: { readonly template: { readonly spec: PodSpec } }
}

describe(`an upgrade from the commit ${PREVIOUS_COMMIT.slice(0, 12)}, and the way back`, { timeout: 1_200_000 }, () => {
  let previous: ChartVersion
  let release: Release
  let values: unknown

  beforeAll(async () => {
    previous = await buildPreviousRelease({ engine, isOffline }, console.log)
    await loadImage({ engine, kind, tag: previous.image, nodes: nodeContainers })
    await using cluster = connectToTestCluster()
    values = versionChangeValues(await listWorkers(cluster.client))
    release = await installRelease({ profile: 'full', values, ...previous })
  }, 1_800_000)

  afterAll(async () => {
    await release?.[Symbol.asyncDispose]()
  })

  /** Returns whether each workload of the release runs an image of this version. */
  const haveImageOf = async ({ client }: TestCluster, { image }: ChartVersion): Promise<readonly boolean[]> => {
    const lists = [resourceRefs.daemonSets, resourceRefs.deployments].map((ref) =>
      client.list<Workload>(ref, { namespace: NAMESPACE }),
    )
    const workloads = (await Promise.all(lists)).flatMap(({ items }) => items)
    return workloads.map(({ spec }) => spec.template.spec.containers.some((container) => container.image === image))
  }

  const outcomeOf = (change: (testCluster: TestCluster) => Promise<void>): ReturnType<typeof runCheck> =>
    runCheck((testCluster) => expectNothingLost(testCluster, () => change(testCluster)), { waitMs: 240_000 })
  /** Checks that every workload runs this version, and no other. */
  const expectRuns = async (testCluster: TestCluster, version: ChartVersion): Promise<void> => {
    const have = await haveImageOf(testCluster, version)
    expectThat(have.length >= 4 && have.every(Boolean), `workloads with the image ${version.image}: ${have.join(', ')}`)
  }

  test('an upgrade takes nothing away from nodes, pods and objects', async () => {
    const outcome = await outcomeOf(async (testCluster) => {
      await release.upgrade(values, versionUnderTest())
      await expectRuns(testCluster, versionUnderTest())
    })
    expect(outcome).toEqual({ holds: true })
  })

  test('a rollback to the previous release takes nothing away either', async () => {
    const outcome = await outcomeOf(async (testCluster) => {
      await release.rollback(1)
      await expectRuns(testCluster, previous)
    })
    expect(outcome).toEqual({ holds: true })
  })

  test('an upgrade whose Helm was killed halfway is repeated once its record is deleted, and takes nothing away', async () => {
    const outcome = await outcomeOf(async (testCluster) => {
      await interruptUpgrade(testCluster)
      const refused = await release.tryUpgrade(values, { version: versionUnderTest() })
      expectThat(refused.stderr.includes('another operation'), `Helm did not refuse: ${refused.stderr}`)
      await testCluster.kubectl('--namespace', NAMESPACE, ...forgetUpgrade)
      await release.upgrade(values, versionUnderTest())
      await expectRuns(testCluster, versionUnderTest())
    })
    expect(outcome).toEqual({ holds: true })
  })

  test('the previous chart brings a release back by an upgrade, too', async () => {
    const outcome = await outcomeOf(async (testCluster) => {
      await release.upgrade(values, previous)
      await expectRuns(testCluster, previous)
    })
    expect(outcome).toEqual({ holds: true })
  })

  /** Starts an upgrade and kills Helm as soon as one workload has the new image. */
  const interruptUpgrade = async (testCluster: TestCluster): Promise<void> => {
    const kill = new AbortController()
    const ended = release.tryUpgrade(values, { version: versionUnderTest(), signal: kill.signal })
    await eventually(
      async () => ((await haveImageOf(testCluster, versionUnderTest())).some(Boolean) ? true : undefined),
      { what: 'a workload with the new image', timeoutMs: 120_000, intervalMs: 10, signal: kill.signal },
    )
    kill.abort()
    const { status } = await ended
    expectThat(status !== 0, 'Helm ended before it was killed')
    const have = await haveImageOf(testCluster, versionUnderTest())
    console.log(`killed when ${have.filter(Boolean).length} of ${have.length} workloads had the new image`)
    const recorded = await release.status()
    expectThat(recorded.startsWith('pending-upgrade '), `after the kill, the release is ${recorded}`)
  }
})
