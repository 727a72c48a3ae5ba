import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLogger, type Clock } from '@berth/types'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { watchConfigFile } from './watch-config-file.ts'

const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(delayMs, task) {
    const timer = setTimeout(task, delayMs)
    return { cancel: () => clearTimeout(timer) }
  },
}
let dir = ''
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'berth-config-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

describe('watchConfigFile', () => {
  test('reports each change of a mounted ConfigMap once, and no other file', async () => {
    // A kubelet mounts FILE -> ..data/FILE and ..data -> a versioned directory.
    const put = async (version: string, text: string): Promise<void> => {
      await mkdir(join(dir, version))
      await writeFile(join(dir, version, 'config.yaml'), text)
      await symlink(version, join(dir, '..data_tmp'))
      await rename(join(dir, '..data_tmp'), join(dir, '..data'))
    }
    await put('..v1', 'a')
    await symlink(join('..data', 'config.yaml'), join(dir, 'config.yaml'))
    const onChange = vi.fn<() => void>()
    using _watch = await watchConfigFile(join(dir, 'config.yaml'), {
      onChange,
      clock,
      log: silentLogger,
    })
    await writeFile(join(dir, 'neighbour'), 'x')
    await put('..v2', 'b')
    await vi.waitFor(() => expect(onChange).toHaveBeenCalledTimes(1), { timeout: 60_000 })
    await put('..v3', 'b')
    await put('..v4', 'c')
    await vi.waitFor(() => expect(onChange).toHaveBeenCalledTimes(2), { timeout: 60_000 })
  })

  test('detects a change by polling without a file system event', async () => {
    const file = join(dir, 'config.yaml')
    await writeFile(file, 'a')
    const timers: (() => void)[] = []
    const manual = {
      ...clock,
      setTimer: (_: number, task: () => void) => ({ cancel: () => {}, at: timers.push(task) }),
    }
    const onChange = vi.fn<() => void>()
    using _watch = await watchConfigFile(file, { onChange, clock: manual, log: silentLogger })
    await writeFile(file, 'b')
    timers[0]?.()
    await vi.waitFor(() => expect(onChange).toHaveBeenCalledTimes(1), { timeout: 60_000 })
  })
})
