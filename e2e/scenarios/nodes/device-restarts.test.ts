import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFiles, gatedSource, restartChecks, restartValues } from '../../checks/device-restarts.ts'
import { removePortFiles } from '../../checks/kubelet.ts'
import { createPluginVolume } from '../../cluster/packed-plugin.ts'
import { ensureNamespace, installRelease, NAMESPACE, type Release } from '../../cluster/release.ts'
import { connectToTestCluster, firstWorker, runCheck } from '../../cluster/test-cluster.ts'

describe('the device plugin through restarts of its parts and of its node', () => {
  let node = ''
  let release: Release | undefined

  beforeAll(async () => {
    node = await firstWorker()
    await createFiles(node)
    await ensureNamespace('privileged')
    await using cluster = connectToTestCluster()
    const metadata = { name: 'gated-seats', namespace: NAMESPACE }
    const volume = await createPluginVolume(cluster.client, metadata, { 'gated-seats.mjs': Buffer.from(gatedSource) })
    release = await installRelease({ profile: 'device-plugin-only', values: restartValues(node, volume) })
  })

  afterAll(async () => {
    await release?.[Symbol.asyncDispose]()
    await removePortFiles(node)
  })

  test.for(restartChecks.map((each) => [each.name, each] as const))('%s', async ([, { run }]) => {
    expect(await runCheck(run, { waitMs: 180_000 })).toEqual({ holds: true })
  })
})
