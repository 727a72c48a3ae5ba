import { followSource, type HostTree, hostTree } from '@berth/device-discovery/testing'
import { createPluginRegistry, type Device } from '@berth/plugin-api'
import { runDeviceSource } from '@berth/plugin-api/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { mi210, mi300a, mi308x, samples } from '../test/sample.ts'
import { plugin } from './index.ts'

function machine(file: string): HostTree {
  const tree = hostTree(file)
  onTestFinished(() => tree[Symbol.dispose]())
  return tree
}
const follow = (tree: HostTree, args = {}) => followSource(plugin, { args: { hostRoot: tree.root, ...args } })
const ids = (devices: readonly Device[]) => devices.map(({ id }) => id)
const nodes = (...paths: readonly string[]) =>
  paths.map((path) => ({ hostPath: path, containerPath: path, permissions: 'rw' }))
const mode = (address: string, compute: string, memory: string) => {
  const directory = `/sys/bus/pci/devices/${address}`
  return `${directory}/current_compute_partition = ${compute}\n${directory}/current_memory_partition = ${memory}`
}
/** Hides the GPUs from the topology, as the kernel does from a container that must not open them. */
function hideTopology(tree: HostTree): void {
  for (let node = 2; node < 10; node++) tree.remove(`/sys/devices/virtual/kfd/kfd/topology/nodes/${node}/properties`)
}

test('amd-gpu keeps the contract', async () => {
  const devices = await runDeviceSource(plugin, samples['amd-gpu'])
  const lines = devices.map(({ id, numaNodes = [], paths = [] }) => `${id} ${numaNodes.join()} ${paths.join()}`)
  expect(lines).toEqual([
    '0000:0a:00.0-p0 0 /dev/dri/renderD128,/dev/dri/card0',
    '0000:0a:00.0-p1 0 /dev/dri/renderD129,/dev/dri/card1',
    '0000:0a:00.0-p2 0 /dev/dri/renderD130,/dev/dri/card2',
    '0000:0a:00.0-p3 0 /dev/dri/renderD131,/dev/dri/card3',
    '0000:80:00.0-p0 1 /dev/dri/renderD136,/dev/dri/card8',
    '0000:80:00.0-p1 1 /dev/dri/renderD137,/dev/dri/card9',
    '0000:80:00.0-p2 1 /dev/dri/renderD138,/dev/dri/card10',
    '0000:80:00.0-p3 1 /dev/dri/renderD139,/dev/dri/card11',
  ])
})

describe('GPUs that are not partitioned', () => {
  test('are one device each, and -1 is no NUMA node', async () => {
    await using source = follow(machine(mi210))
    expect(await source.next()).toMatchObject([
      { id: '0000:43:00.0', health: 'Healthy', paths: ['/dev/dri/renderD129', '/dev/dri/card1'] },
      { id: '0000:63:00.0', health: 'Healthy', numaNodes: [0] },
    ])
    expect(await source.allocate('0000:63:00.0', '0000:43:00.0')).toEqual({
      deviceNodes: nodes('/dev/dri/card0', '/dev/dri/card1', '/dev/dri/renderD128', '/dev/dri/renderD129', '/dev/kfd'),
    })
  })

  test('may be in several PCI domains, and their unused partition nodes are not offered', async () => {
    await using source = follow(machine(mi300a))
    expect(ids(await source.next())).toEqual(['0000:02:00.0', '0001:02:00.0', '0002:02:00.0', '0003:02:00.0'])
    expect(await source.allocate('0001:02:00.0')).toEqual({
      deviceNodes: nodes('/dev/dri/card8', '/dev/dri/renderD136', '/dev/kfd'),
    })
  })

  test('are found without the topology, which the kernel hides from an unprivileged container', async () => {
    for (const [file, found] of [
      [mi210, 2],
      [mi300a, 4],
    ] as const) {
      const tree = machine(file)
      hideTopology(tree)
      await using source = follow(tree)
      expect(ids(await source.next())).toHaveLength(found)
    }
  })
})

describe('partitions', () => {
  test('a driver that writes the partition into the highest bits gives the same devices', async () => {
    const tree = machine(mi308x)
    await using before = follow(tree)
    const old = await before.next()
    for (let part = 1; part < 4; part++) {
      const location = 2560 + part * 2 ** 28
      tree.add(
        String.raw`/sys/class/kfd/kfd/topology/nodes/${2 + part}/properties = simd_count 80\nlocation_id ${location}\ndomain 0\ndrm_render_minor ${128 + part}`,
      )
    }
    await using source = follow(tree)
    expect(await source.next()).toEqual(old)
  })

  test('of one GPU share its hardware, so that a container may get parts of different GPUs', async () => {
    await using source = follow(machine(mi308x))
    const physical = (await source.next()).map(({ physicalId }) => physicalId)
    expect(physical.slice(3, 5)).toEqual(['0000:0a:00.0', '0000:80:00.0'])
  })

  test('say that the container is not privileged when the topology is hidden', async () => {
    const tree = machine(mi308x)
    hideTopology(tree)
    await using source = follow(tree)
    expect(await source.next()).toEqual([])
    await expect(source.next()).rejects.toThrow(
      'cannot read the partitions of 0000:0a:00.0 (cpx_nps1), 0000:80:00.0 (cpx_nps1): the kernel shows them only to a container that may open the nodes of the GPU',
    )
  })

  test('of different kinds are refused unless the resource names one', async () => {
    const tree = machine(mi308x)
    tree.add(mode('0000:80:00.0', 'SPX', 'NPS1'))
    for (const node of [7, 8, 9]) tree.remove(`/sys/devices/virtual/kfd/kfd/topology/nodes/${node}`)
    await using all = follow(tree)
    expect(await all.next()).toEqual([])
    await expect(all.next()).rejects.toThrow('with the argument partition: cpx_nps1, spx_nps1')
    await using whole = follow(tree, { partition: 'spx_nps1' })
    expect(ids(await whole.next())).toEqual(['0000:80:00.0'])
    await using parts = follow(tree, { partition: 'cpx_nps1' })
    expect(ids(await parts.next())).toEqual([0, 1, 2, 3].map((part) => `0000:0a:00.0-p${part}`))
  })
})

describe('health', () => {
  test('follows the nodes in /dev', async () => {
    const tree = machine(mi210)
    tree.remove('/dev/kfd')
    await using source = follow(tree)
    const reason = expect.stringMatching(/\/dev\/kfd is missing$/)
    expect(await source.next()).toMatchObject([{ reason }, { reason }])
    tree.add('/dev/kfd')
    expect((await source.next()).map(({ health }) => health)).toEqual(['Healthy', 'Healthy'])
    tree.remove('/dev/dri/renderD128')
    expect((await source.next()).map(({ health }) => health)).toEqual(['Healthy', 'Unhealthy'])
  })

  test('shows a GPU that the driver could not start', async () => {
    const tree = machine(mi210)
    hideTopology(tree)
    tree.remove('/sys/devices/pci0000:60/0000:63:00.0/drm')
    await using source = follow(tree)
    const reason = '0000:63:00.0 has no render node: see the kernel log for errors of amdgpu'
    expect(await source.next()).toMatchObject([{ health: 'Healthy' }, { id: '0000:63:00.0', reason }])
  })

  test('a node without AMD GPUs offers none', async () => {
    const tree = machine(mi210)
    tree.remove('/sys/bus/pci/devices')
    await using source = follow(tree)
    expect(await source.next()).toEqual([])
  })
})

test.for([
  { it: 'an unknown key', args: { partitions: 'cpx_nps1' }, says: 'args.partitions: no such key' },
  { it: 'half a partition', args: { partition: 'cpx' }, says: 'expected COMPUTE_MEMORY such as "cpx_nps4"' },
])('arguments are refused with $it', ({ args, says }) => {
  const registry = createPluginRegistry([{ plugin, origin: 'here' }])
  expect(() => registry.createDeviceSource('amd-gpu', args, {} as never)).toThrow(says)
})
