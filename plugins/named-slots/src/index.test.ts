import { followSource, type HostTree, hostTree, statOfTree } from '@berth/device-discovery/testing'
import { createPluginRegistry } from '@berth/plugin-api'
import { runDeviceSource } from '@berth/plugin-api/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { samples, treeFile } from '../test/sample.ts'
import { createNamedSlots, plugin } from './index.ts'

function machine(): HostTree {
  const tree = hostTree(treeFile)
  onTestFinished(() => tree[Symbol.dispose]())
  return tree
}
const follow = (tree: HostTree, args: object) =>
  followSource(createNamedSlots(statOfTree), { args: { hostRoot: tree.root, ...args } })
const accel = { path: '/dev/accel/accel0' }

test('named-slots keeps the contract, with a device node of this machine', async () => {
  expect(await runDeviceSource(plugin, samples['named-slots'])).toMatchObject([
    { id: 'alice', health: 'Healthy', paths: ['/dev/null'] },
    { id: 'bob', health: 'Healthy' },
  ])
})

describe('licence seats', () => {
  const seats = { slots: ['alice', 'bob', 'carol'].map((name) => ({ name, env: { SEAT: name } })) }

  test('need no hardware', async () => {
    await using source = follow(machine(), seats)
    expect((await source.next()).map(({ id, health }) => `${id} ${health}`)).toEqual([
      'alice Healthy',
      'bob Healthy',
      'carol Healthy',
    ])
  })

  test('join their variables in the order of their names, and add those of every slot', async () => {
    await using source = follow(machine(), { ...seats, env: { SERVER: 'licences:27000' } })
    await source.next()
    expect(await source.allocate('carol', 'alice')).toEqual({
      env: { SEAT: 'alice,carol', SERVER: 'licences:27000' },
      deviceNodes: [],
    })
    expect((await source.allocate('bob')).env).toEqual({ SEAT: 'bob', SERVER: 'licences:27000' })
  })
})

describe('parts of a device', () => {
  const parts = {
    slots: [
      { name: 'accel0-1g-a', env: { ACCEL_PART: '1g.a' } },
      { name: 'accel0-1g-b', env: { ACCEL_PART: '1g.b' } },
    ],
    deviceNodes: [accel],
  }

  test('bring its node once, and have its NUMA node', async () => {
    await using source = follow(machine(), parts)
    expect(await source.next()).toMatchObject([{ numaNodes: [1] }, { numaNodes: [1] }])
    expect(await source.allocate('accel0-1g-b', 'accel0-1g-a')).toEqual({
      env: { ACCEL_PART: '1g.a,1g.b' },
      deviceNodes: [{ hostPath: '/dev/accel/accel0', containerPath: '/dev/accel/accel0', permissions: 'rw' }],
    })
  })

  test('are unhealthy while its node is missing, and recover', async () => {
    const tree = machine()
    tree.remove('/dev/accel/accel0')
    await using source = follow(tree, parts)
    const reason = '/dev/accel/accel0 is missing'
    expect(await source.next()).toMatchObject([{ reason }, { reason }])
    tree.add('/dev/accel/accel0 = c 261:0')
    expect((await source.next()).map(({ health }) => health)).toEqual(['Healthy', 'Healthy'])
  })

  test('may have nodes of their own, under another path and through a link', async () => {
    const node = { path: '/dev/accel/by-name/front', containerPath: '/dev/part', permissions: 'r' }
    await using source = follow(machine(), { slots: [{ name: 'a', deviceNodes: [node] }, { name: 'b' }] })
    await source.next()
    expect((await source.allocate('a')).deviceNodes).toEqual([
      { hostPath: '/dev/accel/accel0', containerPath: '/dev/part', permissions: 'r' },
    ])
    expect((await source.allocate('b')).deviceNodes).toEqual([])
  })
})

test.for([
  { it: 'no slot', args: { slots: [] }, says: 'args.slots: ' },
  {
    it: 'a slot twice',
    args: { slots: [{ name: 'a' }, { name: 'a' }] },
    says: 'args.slots[1].name: slots[0] is a, too',
  },
  { it: 'a long name', args: { slots: [{ name: 'x'.repeat(64) }] }, says: 'expected at most 63' },
  { it: 'a variable with a dash', args: { slots: [{ name: 'a', env: { 'A-B': '1' } }] }, says: 'args.slots[0].env' },
  { it: 'a relative path', args: { slots: [{ name: 'a', deviceNodes: [{ path: 'x' }] }] }, says: 'an absolute path' },
  {
    it: 'one container path for two nodes of different slots',
    args: {
      slots: ['a', 'b'].map((name) => ({ name, deviceNodes: [{ path: `/dev/${name}`, containerPath: '/dev/part' }] })),
    },
    says: 'args.slots[1].deviceNodes[0].containerPath: /dev/a has the container path /dev/part, too',
  },
  {
    it: 'the container path of a node of every slot',
    args: {
      slots: [{ name: 'a', deviceNodes: [{ path: '/dev/a', containerPath: '/dev/part' }] }],
      deviceNodes: [{ path: '/dev/part' }],
    },
    says: 'args.slots[0].deviceNodes[0].containerPath: /dev/part has the container path /dev/part, too',
  },
  { it: 'an unknown key', args: { slots: [{ name: 'a', count: 2 }] }, says: 'args.slots[0].count: no such key' },
])('arguments are refused with $it', ({ args, says }) => {
  const registry = createPluginRegistry([{ plugin, origin: 'here' }])
  expect(() => registry.createDeviceSource('named-slots', args, {} as never)).toThrow(says)
})
