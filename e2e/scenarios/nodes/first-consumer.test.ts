import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { firstConsumerChecks } from '../../checks/first-consumer.ts'
import { connectToTestCluster, runCheck } from '../../cluster/test-cluster.ts'
import { testEnvironment } from '../../cluster/test-environment.ts'
import { listWorkers } from '../../cluster/workers.ts'
import { installLocalPathProvisioner } from '../../local-path-provisioner/install.ts'

/** The checks with the reference, which proves the checks themselves. */
const checks = firstConsumerChecks('default-scheduler').map((each) => [each.name, each] as const)

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
    test.for(checks)('%s', async ([, { run }]) => {
      expect(await runCheck(run, { waitMs: 180_000 })).toEqual({ holds: true })
    })
  })
})
