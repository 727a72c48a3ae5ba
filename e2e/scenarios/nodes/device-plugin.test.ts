import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { installRelease, type Release } from '../../cluster/release.ts'
import { firstWorker, runCheck } from '../../cluster/test-cluster.ts'
import {
  kubeletChecks,
  createPortFiles,
  stoppedPluginChecks,
  portValues,
  removePortFiles,
} from '../../checks/kubelet.ts'

describe('the device plugin with a real kubelet', () => {
  let node = ''
  let release: Release | undefined

  beforeAll(async () => {
    node = await firstWorker()
    await createPortFiles(node)
  })

  afterAll(async () => {
    await release?.[Symbol.asyncDispose]()
    await removePortFiles(node)
  })

  describe.concurrent('before the installation', () => {
    test.for(kubeletChecks.map((each) => [each.name, each] as const))('fails: %s', async ([, { run, failureText }]) => {
      const why = expect.stringContaining(failureText) as string
      expect(await runCheck(run, { waitMs: 3_000 })).toEqual({ holds: false, why })
    })
  })

  describe('after the installation', () => {
    beforeAll(async () => {
      release = await installRelease({ profile: 'device-plugin-only', values: portValues(node) })
    })

    test.for(kubeletChecks.map((each) => [each.name, each] as const))('%s', async ([, { run }]) => {
      expect(await runCheck(run, { waitMs: 240_000 })).toEqual({ holds: true })
    })

    test.for(stoppedPluginChecks.map((each) => [each.name, each] as const))(
      'fails while the plugin is stopped: %s',
      async ([, { run, failureText, waitMs }]) => {
        const why = expect.stringContaining(failureText) as string
        expect(await runCheck(run, { waitMs })).toEqual({ holds: false, why })
      },
    )
  })
})
