import { followSource, type HostTree, hostTree } from '@berth/device-discovery/testing'
import { createPluginRegistry, type Device } from '@berth/plugin-api'
import { runDeviceSource } from '@berth/plugin-api/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { migMachine, samples, twoGpus } from '../test/sample.ts'
import { plugin } from './index.ts'

const [FIRST, SECOND] = ['GPU-4a1f0e9c-57c3-8d21-0f6b-1c5d2a7e9b30', 'GPU-b7e2d3c8-0a94-4f65-9e1d-6f8a3c2b5d41']

function machine(file: string): HostTree {
  const tree = hostTree(file)
  onTestFinished(() => tree[Symbol.dispose]())
  return tree
}
const follow = (tree: HostTree, args = {}) => followSource(plugin, { args: { hostRoot: tree.root, ...args } })
const ids = (devices: readonly Device[]) => devices.map(({ id }) => id)
const spec = (...devices: readonly string[]) =>
  JSON.stringify({
    cdiVersion: '0.5.0',
    kind: 'nvidia.com/gpu',
    devices: devices.map((name, i) => ({ name, containerEdits: { deviceNodes: [{ path: `/dev/nvidia${i}` }] } })),
  })

test('nvidia-gpu keeps the contract', async () => {
  expect(await runDeviceSource(plugin, samples['nvidia-gpu'])).toMatchObject([
    { id: FIRST, health: 'Healthy', numaNodes: [1], paths: ['/dev/nvidia0', '/dev/dri/card1', '/dev/dri/renderD129'] },
    { id: SECOND, health: 'Healthy', numaNodes: [0], paths: ['/dev/nvidia1'] },
  ])
})

describe('a container', () => {
  test('gets the CDI names of its GPUs, and nothing else', async () => {
    await using source = follow(machine(twoGpus))
    await source.next()
    const names = [`nvidia.com/gpu=${FIRST}`, `nvidia.com/gpu=${SECOND}`]
    expect(await source.allocate(SECOND, FIRST)).toEqual({
      env: { CDIDEVICE_EXAMPLE_COM_DEVICE: names.join(',') },
      cdiDevices: names,
    })
  })

  test('gets the number of a GPU where the file has no UUID', async () => {
    const tree = machine(twoGpus)
    tree.add(`/etc/cdi/nvidia.yaml = ${spec('0', 'gpu1')}`)
    await using source = follow(tree)
    expect(ids(await source.next())).toEqual(['0', 'gpu1'])
  })
})

describe('MIG', () => {
  test.for([
    { select: 'gpu', found: ['1'] },
    { select: 'mig', found: ['0:0', '0:1'] },
    { select: 'all', found: ['0:0', '0:1', '1'] },
  ])('select: $select offers $found', async ({ select, found }) => {
    await using source = follow(machine(migMachine), { select })
    expect(ids(await source.next())).toEqual(found)
  })

  test('-1 is no NUMA node', async () => {
    await using source = follow(machine(migMachine), { select: 'mig' })
    const [device] = await source.next()
    expect(device).not.toHaveProperty('numaNodes')
    expect((await source.allocate('0:0')).cdiDevices).toEqual(['nvidia.com/gpu=0:0'])
  })
})

describe('CDI files', () => {
  test('a later directory takes precedence', async () => {
    const tree = machine(twoGpus)
    tree.add(`/var/run/cdi/nvidia.json = ${spec(SECOND)}`)
    await using source = follow(tree)
    const devices = await source.next()
    // The number 1 still names the second GPU.
    expect(devices.map(({ id, paths }) => `${id} ${paths?.[0]}`)).toEqual([
      '1 /dev/nvidia1',
      `${FIRST} /dev/nvidia0`,
      `${SECOND} /dev/nvidia0`,
    ])
  })

  test('a name in two files of one directory is refused, as the runtime refuses it', async () => {
    const tree = machine(migMachine)
    tree.add(`/var/run/cdi/other.json = ${spec('9', '1')}`)
    await using source = follow(tree)
    const reason = '/var/run/cdi/nvidia.json and /var/run/cdi/other.json both describe nvidia.com/gpu=1'
    expect(await source.next()).toMatchObject([{ id: '1', health: 'Unhealthy', reason }, { id: '9' }])
  })

  test.for([
    { it: 'neither JSON nor YAML', text: '{', says: '/etc/cdi/broken.json is neither JSON nor YAML' },
    { it: 'not a CDI file', text: 'devices: none', says: '/etc/cdi/broken.json is not a CDI file' },
  ])('a file that is $it does not hide the others', async ({ text, says }) => {
    const tree = machine(twoGpus)
    tree.add(`/etc/cdi/broken.json = ${text}`)
    await using source = follow(tree)
    expect(ids(await source.next())).toEqual([FIRST, SECOND])
    await expect(source.next()).rejects.toThrow(says)
  })

  test('other kinds, other files and missing directories offer nothing', async () => {
    const tree = machine(twoGpus)
    tree.add('/etc/cdi/readme.txt = {')
    await using other = follow(tree, { kind: 'example.com/accelerator' })
    expect(await other.next()).toEqual([])
    await using none = follow(tree, { specDirectories: ['/nowhere'] })
    expect(await none.next()).toEqual([])
  })

  test('a new file reaches the list', async () => {
    const tree = machine(twoGpus)
    tree.remove('/etc/cdi/nvidia.yaml')
    await using source = follow(tree)
    expect(await source.next()).toEqual([])
    tree.add(`/etc/cdi/nvidia.json = ${spec(FIRST)}`)
    expect(ids(await source.next())).toEqual([FIRST])
  })
})

test('a GPU without its node is unhealthy', async () => {
  const tree = machine(twoGpus)
  tree.remove('/dev/nvidia1')
  await using source = follow(tree)
  expect(await source.next()).toMatchObject([
    { health: 'Healthy' },
    { id: SECOND, health: 'Unhealthy', reason: expect.stringMatching(/\/dev\/nvidia1 is missing$/) },
  ])
})

test.for([
  { it: 'a kind without a class', args: { kind: 'nvidia.com' }, says: 'expected VENDOR/CLASS' },
  { it: 'a relative directory', args: { specDirectories: ['cdi'] }, says: 'expected an absolute path' },
  { it: 'an unknown key', args: { mig: true }, says: 'args.mig: no such key' },
])('arguments are refused with $it', ({ args, says }) => {
  const registry = createPluginRegistry([{ plugin, origin: 'here' }])
  expect(() => registry.createDeviceSource('nvidia-gpu', args, {} as never)).toThrow(says)
})
