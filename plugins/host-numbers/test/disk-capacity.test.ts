import { execFileSync } from 'node:child_process'
import { hostTree, unpackedTree } from '@berth/device-discovery/testing'
import { runResourceSource } from '@berth/plugin-api/testing'
import { testSource } from '@berth/source-kit/testing'
import { expect, test } from 'vitest'
import { diskCapacity } from '../src/disk/disk-capacity.ts'
import { samples, server, virtualMachine } from './sample.ts'

const source = (args: object, tree = server) => testSource(diskCapacity, { hostRoot: unpackedTree(tree), ...args })

test('disk-capacity keeps the contract', async () => {
  expect(await runResourceSource(diskCapacity, samples['disk-capacity'])).toMatchObject([{ units: 5_120 }])
})

test.for([
  { it: 'each disk once, also with two paths', args: { unit: 'TiB' }, units: 5 },
  { it: 'in gibibytes', args: {}, units: 5_120 },
  { it: 'in bytes', args: { unit: 'B' }, units: 5 * 2 ** 40 },
  { it: 'a volume that is selected alone', args: { disks: ['dm-1'] }, units: 100 },
  { it: 'no volume on a selected disk', args: { disks: ['nvme*', 'dm-1'], unit: 'TiB' }, units: 1 },
  { it: 'a multipath device', args: { disks: ['dm-0'], unit: 'TiB' }, units: 4 },
  { it: 'one of two paths', args: { disks: ['sd?'], unit: 'TiB' }, units: 4 },
  { it: 'a removable disk that is named', args: { disks: ['sr0'], unit: 'MiB' }, units: 4482.8359375 },
])('disk-capacity counts $it', async ({ args, units }) => {
  const tested = source(args)
  expect(await tested.compute()).toEqual({ units, observedAtMs: tested.clock.now() })
})

test('disk-capacity counts the disk of a recorded virtual machine, and no loop device', async () => {
  expect((await source({}, virtualMachine).compute()).units).toBe(256)
})

test('disk-capacity counts in sectors of 512 bytes without loss', async () => {
  using tree = hostTree(virtualMachine)
  tree.add('/sys/devices/pci0000:00/0000:00:02.0/virtio1/block/vda/size = 18014398509481983')
  const tested = testSource(diskCapacity, { hostRoot: tree.root, unit: 'B' })
  expect((await tested.compute()).units).toBe(18_014_398_509_481_983n * 512n)
})

test.for(['', '-1', '0x10', '1e9', '12 34', '9'.repeat(20), '9'.repeat(100_000)])(
  'disk-capacity ignores a disk whose size is not a number of sectors (%#)',
  async (size) => {
    using tree = hostTree(virtualMachine)
    tree.add(`/sys/devices/pci0000:00/0000:00:02.0/virtio1/block/vda/size = ${size}`)
    const tested = testSource(diskCapacity, { hostRoot: tree.root, unit: 'B' })
    await expect(tested.compute()).rejects.toThrow('has no disk that counts')
  },
)

test('disk-capacity refuses a path that a link leads out of the node, into the container', async () => {
  using tree = hostTree(virtualMachine)
  tree.add('/var/scratch -> /usr')
  const tested = testSource(diskCapacity, { hostRoot: tree.root, fileSystem: '/var/scratch' })
  await expect(tested.compute()).rejects.toThrow(
    'cannot read the file system of /var/scratch: the path is missing, or a link leads out of',
  )
})

test('disk-capacity follows a link within the node, and counts the root of a node that is mounted whole', async () => {
  using tree = hostTree(virtualMachine)
  tree.add('/var/scratch -> ../sys')
  for (const fileSystem of ['/', '/var/scratch']) {
    const tested = testSource(diskCapacity, { hostRoot: tree.root, fileSystem })
    expect((await tested.compute()).units).toBeGreaterThan(0)
  }
})

test('disk-capacity gives the size of a file system as df does', async () => {
  const df = execFileSync('df', ['--block-size=1', '--output=size', import.meta.dirname], { encoding: 'utf8' })
  const { units } = await source({ hostRoot: '/', fileSystem: import.meta.dirname, unit: 'B' }).compute()
  expect(String(units)).toBe(df.split('\n')[1]?.trim())
})

test.for([
  { it: 'no disk is selected', args: { disks: ['vd*'] }, says: 'has no disk that counts: vd*' },
  { it: 'the host is not mounted', args: { hostRoot: '/nowhere' }, says: '/nowhere/sys/block has no disk that counts' },
  { it: 'the file system is not mounted', args: { fileSystem: '/var/lib/none' }, says: 'the path is missing' },
])('disk-capacity rejects when $it', async ({ args, says }) => {
  await expect(source(args).compute()).rejects.toThrow(says)
})

test('disk-capacity refuses disks together with a file system', () => {
  expect(() => source({ disks: ['sda'], fileSystem: '/var' })).toThrow(
    'fileSystem: expected either disks or fileSystem',
  )
})
