import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { firstConsumerChecks } from '../../checks/first-consumer.ts'
import { installRelease, type Release } from '../../cluster/release.ts'
import { connectToTestCluster, runCheck } from '../../cluster/test-cluster.ts'
import { testEnvironment } from '../../cluster/test-environment.ts'
import { listWorkers } from '../../cluster/workers.ts'
import { installLocalPathProvisioner } from '../../local-path-provisioner/install.ts'

const named = (schedulerName: string) => firstConsumerChecks(schedulerName).map((each) => [each.name, each] as const)

describe('claims that wait for their first consumer', () => {
  let provisioner: AsyncDisposable | undefined

  beforeAll(async () => {
    await using cluster = connectToTestCluster()
    const nodes = await listWorkers(cluster.client)
    provisioner = await installLocalPathProvisioner(testEnvironment(), { nodes, somewhere: nodes.slice(1) })
  })

  afterAll(async () => {
    await provisioner?.[Symbol.asyncDispose]()
  })

  describe('with kube-scheduler', () => {
    test.for(named('default-scheduler'))('%s', async ([, { run }]) => {
      expect(await runCheck(run, { waitMs: 180_000 })).toEqual({ holds: true })
    })
  })

  describe('without Berth', () => {
    test.for(named('berth-scheduler'))('fails: %s', async ([, { run, failureText }]) => {
      const why = expect.stringContaining(failureText) as string
      expect(await runCheck(run, { waitMs: 4_000 })).toEqual({ holds: false, why })
    })
  })

  describe('with Berth', () => {
    let release: Release | undefined

    beforeAll(async () => {
      release = await installRelease({ profile: 'scheduler-only', podSecurity: 'restricted' })
    })

    afterAll(async () => {
      await release?.[Symbol.asyncDispose]()
    })

    test.for(named('berth-scheduler'))('%s', async ([, { run }]) => {
      expect(await runCheck(run, { waitMs: 180_000 })).toEqual({ holds: true })
    })
  })
})
