import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { advertiserNodeChecks, advertiserNodeValues, declareSeats, SEAT } from '../../checks/advertiser-nodes.ts'
import { DONGLE } from '../../checks/dongles.ts'
import { ensureNamespace, installRelease, type Release } from '../../cluster/release.ts'
import { connectToTestCluster, expectThat, runCheck } from '../../cluster/test-cluster.ts'
import { listWorkers } from '../../cluster/workers.ts'

describe('the advertiser, with a file and with objects, on nodes that come, go and are edited by others', () => {
  let release: Release | undefined

  beforeAll(async () => {
    await using cluster = connectToTestCluster()
    await ensureNamespace('restricted')
    const values = advertiserNodeValues(await listWorkers(cluster.client))
    release = await installRelease({ profile: 'advertiser-only', podSecurity: 'restricted', values })
  })

  afterAll(async () => {
    await release?.[Symbol.asyncDispose]()
  })

  test.for(advertiserNodeChecks.map((each) => [each.name, each] as const))('%s', async ([, { run }]) => {
    expect(await runCheck(run, { waitMs: 180_000 })).toEqual({ holds: true })
  })

  // Last, because it uninstalls the release.
  test('the uninstall withdraws what file and objects declare, and leaves the objects without a finalizer', async () => {
    const outcome = await runCheck(
      async (testCluster) => {
        const node = testCluster.workers[0] ?? ''
        const name = testCluster.uniqueName('kept')
        await declareSeats(testCluster, name)
        await testCluster.untilUnits(node, SEAT, '3/3')
        const { status, stderr } = (await release?.uninstall()) ?? { status: 1, stderr: 'nothing is installed' }
        expectThat(status === 0, `the uninstall failed: ${stderr}`)
        const left = [await testCluster.units(node, DONGLE), await testCluster.units(node, SEAT)]
        expectThat(left.join(' ') === '-/- -/-', `the node still offers ${left.join(' and ')}`)
        const { annotations = {} } = (await testCluster.node(node)).metadata
        const ours = Object.keys(annotations).filter((key) => key.startsWith('berth.dev/advertised'))
        expectThat(ours.length === 0, `the node still has ${ours.join(', ')}`)
        const path = 'jsonpath={.metadata.finalizers}{.metadata.annotations.berth\\.dev/advertised-by}'
        const claims = await testCluster.kubectl('get', 'extendedresources', name, '-o', path)
        expectThat(claims === '', `the object is still claimed: ${claims}`)
      },
      { waitMs: 180_000 },
    )
    expect(outcome).toEqual({ holds: true })
  })
})
