import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hostFiles, type HostFiles } from '../host/host-files.ts'
import { statOfTree, writeHostTree } from '../testing/host-tree.ts'
import { inspectNode } from './inspect-node.ts'

async function hostWith(lines: string): Promise<HostFiles> {
  const root = await mkdtemp(join(tmpdir(), 'node-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  writeHostTree(root, lines)
  return hostFiles(root)
}

test('resolves a link that users can change, and reads the NUMA node', async () => {
  const host = await hostWith(`
/dev/accel/accel0 = c 261:0
/dev/by-id/mine -> ../accel/accel0
/sys/dev/char/261:0/device/numa_node = 1
`)
  const options = { host, statNode: statOfTree }
  expect(await inspectNode('/dev/by-id/mine', options)).toEqual({ hostPath: '/dev/accel/accel0', numaNodes: [1] })
})

test('hands over a path that only root can change', async () => {
  expect(await inspectNode('/dev/stdin/../../dev/null', { host: hostFiles('/') })).toMatchObject({ numaNodes: [] })
  expect((await inspectNode('/dev/null', { host: hostFiles('/') })).hostPath).toBe('/dev/null')
})

test.for([
  { path: '/dev/none', problem: '/dev/none is missing' },
  { path: '/dev/file', problem: '/dev/file is not a device node' },
  { path: '/dev/out', problem: '/dev/out leads out of hostRoot' },
  { path: '/dev/loop', problem: '/dev/loop cannot be used (ELOOP)' },
])('says why $path cannot be used', async ({ path, problem }) => {
  const host = await hostWith('/dev/file = text\n/dev/out -> /dev/null\n/dev/loop -> loop')
  expect(await inspectNode(path, { host })).toEqual({ hostPath: path, numaNodes: [], problem })
})
