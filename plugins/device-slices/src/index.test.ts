import type { ClusterEvent, Pod } from '@berth/plugin-api'
import { createHooks, decideOnce, runSchedulingPlugin, samplePod } from '@berth/plugin-api/testing'
import { describe, expect, test } from 'vitest'
import { samples } from '../test/sample.ts'
import { plugin } from './index.ts'

const SLICE = 'berth.dev/gpu-slice'
const DEVICE = 'berth.dev/gpu-slice-device'
const args = { resource: SLICE, slicesPerDevice: 10 }

const podWith = (slices: number, device?: string, name = 'web') =>
  samplePod({ [SLICE]: slices }, { name, ...(device !== undefined && { annotations: { [DEVICE]: device } }) })

/** A node with devices of 10 slices, on which these pods run. */
const nodeWith = (devices: number, ...pods: readonly Pod[]) => ({
  name: 'node-a',
  allocatable: { [SLICE]: devices * 10 },
  pods,
})

const decide = (pod: Pod, node: ReturnType<typeof nodeWith>, given: object = args) =>
  decideOnce(plugin, { args: given, nodes: [node, { name: 'plain' }], pod })

test('device-slices keeps the contract', () => {
  expect(runSchedulingPlugin(plugin, samples['device-slices']).length).toBeGreaterThan(0)
})

describe('the filter', () => {
  test.for([
    {
      it: 'the free slices are on several devices',
      node: nodeWith(2, podWith(7, '0', 'one'), podWith(7, '1', 'two')),
      says: 'node(s) have enough free slices of berth.dev/gpu-slice, but not on one device',
    },
    {
      it: 'too few slices are free',
      node: nodeWith(1, podWith(7, '0', 'one')),
      says: 'node(s) have too few free slices of berth.dev/gpu-slice',
    },
    {
      it: 'a pod without a device may hold them',
      node: nodeWith(2, podWith(7, undefined, 'one')),
      says: 'node(s) run a pod whose device of berth.dev/gpu-slice is not known, which may hold the free slices',
    },
    {
      it: 'a pod names a device that does not exist',
      node: nodeWith(2, podWith(7, '2', 'one')),
      says: 'node(s) run a pod whose device of berth.dev/gpu-slice is not known, which may hold the free slices',
    },
  ])('rejects a pod of 4 slices when $it', ({ node, says }) => {
    expect(decide(podWith(4), node).rejected).toEqual({
      'node-a': { code: 2, reasons: [says] },
      plain: { code: 3, reasons: ['node(s) have no device with slices of berth.dev/gpu-slice'] },
    })
  })

  test('rejects a pod that requests more slices than a device has', () => {
    expect(decide(podWith(11), nodeWith(4)).preFilter).toMatchObject({
      reasons: ['a device of berth.dev/gpu-slice has 10 slices, and the pod requests 11'],
    })
  })

  test('does not concern a pod without slices', () => {
    expect(decide(podWith(0), nodeWith(1)).preFilter).toEqual({ kind: 'skip' })
  })

  test('costs the same for a node that claims to have any number of devices', () => {
    const node = nodeWith(2 ** 50, podWith(4, '0', 'one'))
    expect(decide(podWith(7), node).annotations['node-a']).toEqual({ [DEVICE]: '1' })
  })

  test('accepts a node where one device has enough slices beside pods whose device is not known', () => {
    expect(decide(podWith(4), nodeWith(2, podWith(6, undefined, 'one'))).annotations).toHaveProperty('node-a')
  })
})

describe('the device', () => {
  const node = nodeWith(3, podWith(3, '1', 'one'), podWith(5, '2', 'two'))
  test.for([
    { strategy: 'pack', slices: 4, device: '2' },
    { strategy: 'pack', slices: 6, device: '1' },
    { strategy: 'pack', slices: 8, device: '0' },
    { strategy: 'spread', slices: 4, device: '0' },
  ])('of a pod with $slices slices is $device with strategy $strategy', ({ strategy, slices, device }) => {
    const { annotations } = decide(podWith(slices), node, { ...args, strategy })
    expect(annotations['node-a']).toEqual({ [DEVICE]: device })
  })

  test('is written to the annotation of the arguments', () => {
    const annotation = 'example.com/device'
    expect(decide(podWith(1), nodeWith(1), { ...args, annotation }).annotations['node-a']).toEqual({
      [annotation]: '0',
    })
  })

  test('of the pod itself is ignored before it is bound', () => {
    expect(decide(podWith(4, '1'), nodeWith(2)).annotations['node-a']).toEqual({ [DEVICE]: '0' })
  })
})

describe('the queueing hint', () => {
  const hooks = createHooks(plugin, args)

  test.for<{ readonly it: string; readonly event: ClusterEvent; readonly wakes: boolean }>([
    { it: 'a pod ended', event: { kind: 'pod-left', pod: podWith(1, '0') }, wakes: true },
    { it: 'a node was added', event: { kind: 'node-added', node: { metadata: { name: 'n' } } }, wakes: true },
    { it: 'a pod was placed', event: { kind: 'pod-assigned', pod: podWith(1, '0') }, wakes: false },
    {
      it: 'the device of a pod became known',
      event: { kind: 'pod-changed', old: podWith(1), pod: podWith(1, '0') },
      wakes: true,
    },
    {
      it: 'a pod changed otherwise',
      event: { kind: 'pod-changed', old: podWith(1, '0'), pod: podWith(1, '0') },
      wakes: false,
    },
  ])('answers $wakes when $it', ({ event, wakes }) => {
    expect(hooks.queueingHint?.(podWith(1), event)).toBe(wakes)
  })
})

describe('arguments', () => {
  test.for([
    { it: 'no resource', args: { slicesPerDevice: 4 }, says: 'args.resource: ' },
    {
      it: 'a native resource',
      args: { resource: 'cpu', slicesPerDevice: 4 },
      says: 'args.resource: "cpu" is not an extended resource: it has no domain',
    },
    { it: 'no slices', args: { resource: SLICE, slicesPerDevice: 0 }, says: 'args.slicesPerDevice: ' },
    {
      it: 'a resource whose default annotation is too long',
      args: { resource: `example.com/${'x'.repeat(60)}`, slicesPerDevice: 4 },
      says: 'args.annotation: set it: the default, the resource followed by -device, is too long',
    },
    {
      it: 'a text that cannot be an annotation',
      args: { ...args, annotation: 'example.com/my device' },
      says: 'args.annotation: "example.com/my device" cannot name a label or an annotation',
    },
    {
      it: 'an annotation without a prefix',
      args: { ...args, annotation: 'device' },
      says: 'args.annotation: expected a name with a prefix',
    },
  ])('are refused with $it', ({ args, says }) => {
    expect(() => createHooks(plugin, args)).toThrow(says)
  })
})
