import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { deviceNumber, numaNodes } from './numa-nodes.ts'

async function tempDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'numa-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  return dir
}

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
  await mkdir(join(sysfs, 'dev/char/1:3/device'), { recursive: true })
  await writeFile(join(sysfs, 'dev/char/1:3/device/numa_node'), text)
  expect(await numaNodes('char', 0x01_03, sysfs)).toEqual(nodes)
  expect(await numaNodes('block', 0x01_03, sysfs)).toEqual([])
})
