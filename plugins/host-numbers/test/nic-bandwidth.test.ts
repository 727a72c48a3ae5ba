import { hostTree, unpackedTree } from '@berth/device-discovery/testing'
import { runResourceSource } from '@berth/plugin-api/testing'
import { testSource } from '@berth/source-kit/testing'
import { expect, onTestFinished, test } from 'vitest'
import { nicBandwidth } from '../src/network/nic-bandwidth.ts'
import { samples, server, virtualMachine } from './sample.ts'

const source = (args: object, tree = server) => testSource(nicBandwidth, { hostRoot: unpackedTree(tree), ...args })
const PORT = '/sys/devices/pci0000:ae/0000:af:00.0/net/ens3f0'

test('nic-bandwidth keeps the contract', async () => {
  expect(await runResourceSource(nicBandwidth, samples['nic-bandwidth'])).toMatchObject([{ units: 150_000 }])
})

test.for([
  { it: 'a bond in place of its ports, and each other port that is up', args: {}, units: 150_000 },
  { it: 'in gigabits', args: { unit: 'gigabit' }, units: 150 },
  { it: 'the ports of a bond that is not selected', args: { interfaces: ['eno*'] }, units: 50_000 },
  {
    it: 'a bond in place of its ports, where both are selected',
    args: { interfaces: ['eno*', 'bond0'] },
    units: 50_000,
  },
  { it: 'no VLAN on a selected bond', args: { interfaces: ['bond*'] }, units: 50_000 },
  { it: 'a VLAN that is selected alone', args: { interfaces: ['bond0.100'] }, units: 50_000 },
  { it: 'no bridge on a selected port', args: { interfaces: ['br0', 'ens3f0'] }, units: 100_000 },
  { it: 'no virtual function', args: { interfaces: ['ens3f0*'] }, units: 100_000 },
  { it: 'a virtual interface that is named', args: { interfaces: ['veth1'] }, units: 10_000 },
  { it: 'nothing for a port that is down', args: { interfaces: ['ens3f1'] }, units: 0 },
])('nic-bandwidth counts $it', async ({ args, units }) => {
  const tested = source(args)
  expect(await tested.compute()).toEqual({ units, observedAtMs: tested.clock.now() })
})

test.for([
  { it: 'none is selected', args: { interfaces: ['wlan*'] }, says: 'has no network interface that counts: wlan*' },
  { it: 'only virtual functions are selected', args: { interfaces: ['ens3f0v0'] }, says: 'no network interface' },
  { it: 'the host is not mounted', args: { hostRoot: '/nowhere' }, says: '/nowhere/sys/class/net has no network' },
])('nic-bandwidth rejects when $it', async ({ args, says }) => {
  await expect(source(args).compute()).rejects.toThrow(says)
})

test('nic-bandwidth does not guess the speed of a card in a virtual machine', async () => {
  await expect(source({}, virtualMachine).compute()).rejects.toThrow(
    'eth0 is up and does not tell its speed: set unknownMegabits',
  )
  expect(await source({ unknownMegabits: 10_000 }, virtualMachine).compute()).toMatchObject({ units: 10_000 })
})

test.for(['-1', '4294967295', '', '4294967294', '10000001', '1e6', '0x2710', '12.5', 'Infinity', 'NaN', '10000 20000'])(
  'nic-bandwidth treats the speed "%s" as unknown',
  async (speed) => {
    using tree = hostTree(server)
    tree.add(`${PORT}/speed = ${speed}`)
    const tested = testSource(nicBandwidth, { hostRoot: tree.root })
    await expect(tested.compute()).rejects.toThrow('ens3f0 is up and does not tell its speed')
  },
)

test('nic-bandwidth follows a cable that is pulled', async () => {
  const tree = hostTree(server)
  onTestFinished(() => tree[Symbol.dispose]())
  const tested = testSource(nicBandwidth, { hostRoot: tree.root })
  expect((await tested.compute()).units).toBe(150_000)
  tree.add(`${PORT}/operstate = down\n${PORT}/speed = -1`)
  expect((await tested.compute()).units).toBe(50_000)
})

test('nic-bandwidth counts an interface whose driver does not maintain operstate, if it has a carrier', async () => {
  using tree = hostTree(server)
  tree.add(`${PORT}/operstate = unknown`)
  const tested = testSource(nicBandwidth, { hostRoot: tree.root })
  expect((await tested.compute()).units).toBe(50_000)
  tree.add(`${PORT}/carrier = 1`)
  expect((await tested.compute()).units).toBe(150_000)
})
