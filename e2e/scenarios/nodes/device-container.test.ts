import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  cardValues,
  cdiFiles,
  containerContentsCheck,
  createCard,
  heldCardCheck,
  podResourcesCheck,
  removeCard,
} from '../../checks/container-contents.ts'
import { installRelease, type Release } from '../../cluster/release.ts'
import { firstWorker, runCheck } from '../../cluster/test-cluster.ts'

describe('what the device plugin gives to a container, with the node helper', () => {
  let node = ''
  let release: Release | undefined

  beforeAll(async () => {
    node = await firstWorker()
    await createCard(node)
    release = await installRelease({ profile: 'device-plugin-only', values: cardValues(node) })
  })

  afterAll(async () => {
    await release?.[Symbol.asyncDispose]()
    await removeCard(node)
  })

  test.for([containerContentsCheck, podResourcesCheck, heldCardCheck].map((each) => [each.name, each] as const))(
    '%s',
    async ([, { run }]) => {
      expect(await runCheck(run, { waitMs: 120_000 })).toEqual({ holds: true })
    },
  )

  test('an uninstall deletes the CDI files', async () => {
    expect(await cdiFiles(node)).not.toBe('')
    expect((await release?.uninstall())?.status).toBe(0)
    expect(await cdiFiles(node)).toBe('')
  })
})
