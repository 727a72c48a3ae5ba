import { followSource, type HostTree, hostTree, statOfTree } from '@berth/device-discovery/testing'
import { createPluginRegistry, type Device } from '@berth/plugin-api'
import { runDeviceSource } from '@berth/plugin-api/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { samples, treeFile } from '../test/sample.ts'
import { createPathGroups, plugin } from './index.ts'

function machine(): HostTree {
  const tree = hostTree(treeFile)
  onTestFinished(() => tree[Symbol.dispose]())
  return tree
}
const follow = (tree: HostTree, paths: readonly object[], more = {}) =>
  followSource(createPathGroups(statOfTree), {
    args: { hostRoot: tree.root, paths, ...more },
    resourceName: 'example.com/card',
  })
const shown = (devices: readonly Device[]) => devices.map(({ id, health, reason }) => `${id}: ${reason ?? health}`)
const node = (path: string, more = {}) => ({ hostPath: path, containerPath: path, permissions: 'rw', ...more })
const card = [{ path: '/dev/xdma{key}_user' }, { path: '/dev/xdma{key}_h2c_*' }, { path: '/dev/xdma{key}_c2h_0' }]

test('path-groups keeps the contract, with device nodes of this machine', async () => {
  expect(await runDeviceSource(plugin, samples['path-groups'])).toMatchObject([
    { id: 'pair-ro', health: 'Healthy', paths: ['/dev/null', '/dev/zero'] },
  ])
})

describe('a group', () => {
  test('has the paths with one key, and is unhealthy while one is missing', async () => {
    const tree = machine()
    await using source = follow(tree, card)
    expect(shown(await source.next())).toEqual([
      'card-0: Healthy',
      'card-1: Healthy',
      'card-12: /dev/xdma12_h2c_* is missing',
    ])
    tree.add('/dev/xdma12_h2c_0 = c 235:50\n/dev/xdma12_c2h_0 = c 235:51')
    expect(shown(await source.next())).toContain('card-12: Healthy')
    tree.remove('/dev/xdma0_user')
    expect(shown(await source.next())).toContain('card-0: /dev/xdma0_user is missing')
  })

  test('leaves the list when all its paths are gone', async () => {
    const tree = machine()
    await using source = follow(tree, card)
    await source.next()
    tree.remove('/dev/xdma12_user')
    expect(shown(await source.next())).toEqual(['card-0: Healthy', 'card-1: Healthy'])
  })

  test('has the NUMA node of its nodes, and -1 is none', async () => {
    await using source = follow(machine(), card)
    const [first, second] = await source.next()
    expect(first?.numaNodes).toEqual([1])
    expect(second).not.toHaveProperty('numaNodes')
  })

  test('may have nodes in common with others, and optional ones', async () => {
    const paths = [
      { path: '/dev/xdma{key}_user' },
      { path: '/dev/xdma_control' },
      { path: '/dev/xdma{key}_h2c_1', optional: true },
    ]
    await using source = follow(machine(), paths)
    expect(shown(await source.next())).toEqual(['card-0: Healthy', 'card-1: Healthy', 'card-12: Healthy'])
    expect((await source.allocate('card-0', 'card-1')).deviceNodes).toEqual(
      ['/dev/xdma0_user', '/dev/xdma_control', '/dev/xdma1_user', '/dev/xdma1_h2c_1'].map((path) => node(path)),
    )
  })

  test('without a key is one device, also while its nodes are missing', async () => {
    const tree = machine()
    await using source = follow(tree, [{ path: '/dev/xdma_control' }, { path: '/dev/later' }])
    expect(shown(await source.next())).toEqual(['card: /dev/later is missing'])
    tree.add('/dev/later = b 8:1')
    expect(shown(await source.next())).toEqual(['card: Healthy'])
  })

  test('matches the key in directories, and only where it is the same twice', async () => {
    await using source = follow(machine(), [{ path: '/dev/cards/{key}/main' }, { path: '/dev/cards/{key}/aux{key}' }])
    expect(shown(await source.next())).toEqual(['card-7: Healthy', 'card-8: /dev/cards/8/aux8 is missing'])
  })

  test('refuses what is not a device node', async () => {
    const tree = machine()
    tree.add('/dev/xdma0_user = text')
    await using source = follow(tree, card)
    expect(shown(await source.next())).toContain('card-0: /dev/xdma0_user is not a device node')
  })
})

describe('a container', () => {
  test('gets the nodes of its groups under other paths and with their permissions', async () => {
    const paths = [{ path: '/dev/xdma{key}_user', containerPath: '/dev/cards/{key}', permissions: 'r' }]
    await using source = follow(machine(), paths, { idPrefix: 'fpga' })
    await source.next()
    expect((await source.allocate('fpga-1', 'fpga-0')).deviceNodes).toEqual([
      node('/dev/xdma0_user', { containerPath: '/dev/cards/0', permissions: 'r' }),
      node('/dev/xdma1_user', { containerPath: '/dev/cards/1', permissions: 'r' }),
    ])
  })
})

test.for([
  { it: 'no path', args: { paths: [] }, says: 'args.paths: ' },
  {
    it: 'one container path for many groups',
    args: { paths: [{ path: '/dev/a{key}', containerPath: '/dev/a' }] },
    says: 'expected {key} in the path',
  },
  {
    it: 'one container path for many nodes',
    args: { paths: [{ path: '/dev/a*', containerPath: '/dev/a' }] },
    says: 'remove containerPath',
  },
  {
    it: 'only optional keys',
    args: { paths: [{ path: '/dev/a{key}', optional: true }] },
    says: 'that is not optional',
  },
  {
    it: 'one container path for two paths',
    args: { paths: ['a', 'b'].map((name) => ({ path: `/dev/${name}{key}`, containerPath: '/dev/card{key}' })) },
    says: 'args.paths[1].containerPath: paths[0] has the container path /dev/card{key}, too',
  },
  { it: 'an unknown key', args: { paths: [{ path: '/dev/a', limit: 1 }] }, says: 'args.paths[0].limit: no such key' },
])('arguments are refused with $it', ({ args, says }) => {
  const registry = createPluginRegistry([{ plugin, origin: 'here' }])
  expect(() => registry.createDeviceSource('path-groups', args, {} as never)).toThrow(says)
})
