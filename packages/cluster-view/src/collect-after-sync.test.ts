import { expect, test, vi } from 'vitest'
import { collectAfterSync } from './collect-after-sync.ts'

const { signal } = new AbortController()

test('garbage is collected once, after the cluster has been read', async () => {
  const synced = Promise.withResolvers<void>()
  const collect = vi.fn()
  const done = collectAfterSync({ waitForSync: () => synced.promise }, collect, signal)
  expect(collect).not.toHaveBeenCalled()
  synced.resolve()
  await done
  expect(collect).toHaveBeenCalledOnce()
})

test('nothing is collected when the process stops first, or without --expose-gc', async () => {
  const collect = vi.fn()
  await collectAfterSync({ waitForSync: () => Promise.reject(new Error('stopped')) }, collect, signal)
  expect(collect).not.toHaveBeenCalled()
  const waitForSync = vi.fn(() => Promise.resolve())
  await collectAfterSync({ waitForSync }, undefined, signal)
  expect(waitForSync).not.toHaveBeenCalled()
})
