import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { installRelease, type Release } from '../../cluster/release.ts'
import { connectToSession, play } from '../../cluster/test-cluster.ts'
import { workersOf } from '../../cluster/workers.ts'
import { kubeletPlays, plugIn, pluginStillPlays, portValues, unplug } from '../../checks/kubelet.ts'

describe('the device plugin beside a real kubelet', () => {
  let node = ''
  let release: Release | undefined

  beforeAll(async () => {
    await using cluster = connectToSession()
    const [first = ''] = await workersOf(cluster.client)
    node = first
    await plugIn(node)
  })

  afterAll(async () => {
    await release?.[Symbol.asyncDispose]()
    await unplug(node)
  })

  describe.concurrent('before it is installed', () => {
    test.for(kubeletPlays.map((each) => [each.name, each] as const))(
      'does not hold: %s',
      async ([, { run, missing }]) => {
        const why = expect.stringContaining(missing) as string
        expect(await play(run, { waitMs: 3_000 })).toEqual({ holds: false, why })
      },
    )
  })

  describe('installed', () => {
    beforeAll(async () => {
      release = await installRelease({ profile: 'device-plugin-only', values: portValues(node) })
    })

    test.for(kubeletPlays.map((each) => [each.name, each] as const))('%s', async ([, { run }]) => {
      expect(await play(run, { waitMs: 240_000 })).toEqual({ holds: true })
    })

    test.for(pluginStillPlays.map((each) => [each.name, each] as const))(
      'does not hold while the plugin stands still: %s',
      async ([, { run, missing, waitMs }]) => {
        const why = expect.stringContaining(missing) as string
        expect(await play(run, { waitMs })).toEqual({ holds: false, why })
      },
    )
  })
})
