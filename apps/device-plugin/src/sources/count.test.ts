import { runDeviceSource } from '@berth/plugin-api/testing'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { countSource } from './count.ts'
import { readHealthFile } from './read-health-file.ts'
import { deviceNumber, numaNodes } from './numa-nodes.ts'

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
    { id: 'slot-0', health: 'Unhealthy', reason: `health file ${healthFile} is missing` },
  ])
  await writeFile(healthFile, 'Healthy')
  expect(await runDeviceSource(countSource, { args })).toEqual([{ id: 'slot-0', health: 'Healthy' }])
})

test.for([
  { text: 'Healthy', reading: { health: 'Healthy' } },
  { text: ' Healthy \nsince noon', reading: { health: 'Healthy' } },
  { text: 'Unhealthy: too hot\n', reading: { health: 'Unhealthy', reason: 'too hot' } },
  { text: 'healthy', reading: { health: 'Unhealthy', reason: 'healthy' } },
  { text: 'Unhealthy', reading: { health: 'Unhealthy', reason: 'health file FILE reports it as unhealthy' } },
  { text: '', reading: { health: 'Unhealthy', reason: 'health file FILE reports it as unhealthy' } },
])('reads a health file with "$text"', async ({ text, reading }) => {
  const file = join(await tempDir(), 'health')
  await writeFile(file, text)
  const { reason, ...rest } = await readHealthFile(file)
  expect({ ...rest, ...(reason !== undefined && { reason: reason.replace(file, 'FILE') }) }).toEqual(reading)
})

test('reports a health file that is a directory as unhealthy', async () => {
  const dir = await tempDir()
  expect(await readHealthFile(dir)).toMatchObject({ health: 'Unhealthy', reason: expect.stringContaining('EISDIR') })
})

test.for([
  { rdev: 0x01_03, number: '1:3' },
  { rdev: 0xbc_00, number: '188:0' },
  { rdev: 0x10_08_01, number: '8:257' },
])('formats device number $rdev as $number', ({ rdev, number }) => {
  expect(deviceNumber(rdev)).toBe(number)
})

test.for([
  { text: '1\n', nodes: [1] },
  { text: '-1\n', nodes: [] },
  { text: 'what', nodes: [] },
])('reads NUMA nodes $nodes from "$text"', async ({ text, nodes }) => {
  const sysfs = await tempDir()
  const { mkdir } = await import('node:fs/promises')
  await mkdir(join(sysfs, 'dev/char/1:3/device'), { recursive: true })
  await writeFile(join(sysfs, 'dev/char/1:3/device/numa_node'), text)
  expect(await numaNodes('char', 0x01_03, sysfs)).toEqual(nodes)
  expect(await numaNodes('block', 0x01_03, sysfs)).toEqual([])
})
