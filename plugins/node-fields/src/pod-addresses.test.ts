import type { Node } from '@berth/plugin-api'
import { runResourceSource } from '@berth/plugin-api/testing'
import { expect, test } from 'vitest'
import { samples } from '../test/sample.ts'
import { podAddresses } from './pod-addresses.ts'

const unitsOf = async (spec: NonNullable<Node['spec']>, args: object = {}) =>
  (await runResourceSource(podAddresses, { args, nodes: [{ metadata: { name: 'node-a' }, spec }] }))[0]?.units

test('pod-addresses keeps the contract', async () => {
  expect(await runResourceSource(podAddresses, samples['pod-addresses'])).toMatchObject([{ units: 253n }])
})

test.for([
  { spec: { podCIDRs: ['10.1.0.0/24'] }, units: 253n },
  { spec: { podCIDRs: ['10.1.0.0/24'] }, args: { reserved: 16 }, units: 240n },
  { spec: { podCIDR: '10.1.0.0/16' }, args: { reserved: 0 }, units: 65_536n },
  { spec: { podCIDRs: ['fd00::/112', '10.1.0.0/25'] }, units: 125n },
  { spec: { podCIDRs: ['10.1.0.0/25', 'fd00::/112'] }, args: { family: 'ipv6' }, units: 65_533n },
  { spec: { podCIDRs: ['10.1.0.0/31'] }, units: 0n },
  { spec: { podCIDRs: ['10.1.0.0/32'] }, args: { reserved: 0 }, units: 1n },
])('$spec with $args has $units addresses', async ({ spec, args, units }) => {
  expect(await unitsOf(spec, args)).toBe(units)
})

test.for([
  { it: 'no range', spec: {}, says: 'node node-a has no ipv4 range for pods: spec.podCIDRs is []' },
  { it: 'only the other family', spec: { podCIDRs: ['fd00::/64'] }, says: 'spec.podCIDRs is [fd00::/64]' },
  { it: 'a range that is not one', spec: { podCIDRs: ['10.1.0.0/33'] }, says: 'spec.podCIDRs is [10.1.0.0/33]' },
  { it: 'a host name', spec: { podCIDRs: ['pods/24'] }, says: 'has no ipv4 range' },
])('pod-addresses rejects for a node with $it', async ({ spec, says }) => {
  await expect(unitsOf(spec)).rejects.toThrow(says)
})
