import { runDeviceSource } from '@berth/plugin-api/testing'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { countSource } from './count.ts'

async function tempDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'count-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  return dir
}

test('count passes the contract checks of a device source', async () => {
  const devices = await runDeviceSource(countSource, { args: { count: 3, idPrefix: 'seat' } })
  expect(devices).toEqual(['seat-0', 'seat-1', 'seat-2'].map((id) => ({ id, health: 'Healthy' })))
})

test('count reads the health from a file', async () => {
  const healthFile = join(await tempDir(), 'health')
  const args = { count: 1, healthFile }
  expect(await runDeviceSource(countSource, { args })).toEqual([
    { id: 'resource-0', health: 'Unhealthy', reason: `health file ${healthFile} is missing` },
  ])
  await writeFile(healthFile, 'Healthy')
  expect(await runDeviceSource(countSource, { args })).toEqual([{ id: 'resource-0', health: 'Healthy' }])
})
