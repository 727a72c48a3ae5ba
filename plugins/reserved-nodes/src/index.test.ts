import { createHooks, decideOnce, runSchedulingPlugin, samplePod } from '@berth/plugin-api/testing'
import { describe, expect, test } from 'vitest'
import { samples } from '../test/sample.ts'
import { plugin } from './index.ts'

const DONGLE = 'example.com/dongle'

const podWith = (units: number, metadata = {}) => samplePod({ [DONGLE]: units }, metadata)

const nodes = [{ name: 'dongles', allocatable: { [DONGLE]: 4 } }, { name: 'plain' }]
const filter = { resources: [DONGLE], mode: 'filter' }
const score = { resources: [DONGLE] }
const daemonSet = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: 'agent', controller: true }

test('reserved-nodes keeps the contract', () => {
  expect(runSchedulingPlugin(plugin, samples['reserved-nodes']).length).toBeGreaterThan(0)
})

describe('reserved-nodes', () => {
  test('keeps a pod that does not request the resource off its nodes with mode filter', () => {
    expect(decideOnce(plugin, { args: filter, nodes, pod: podWith(0) }).rejected).toEqual({
      dongles: { code: 3, reasons: ['node(s) are reserved for pods that request example.com/dongle'] },
    })
  })

  test('prefers other nodes by default', () => {
    const { scores, rejected } = decideOnce(plugin, { args: score, nodes, pod: podWith(0) })
    expect([scores, rejected]).toEqual([{ dongles: 0, plain: 100 }, {}])
  })

  test.for([
    { it: 'requests the resource', pod: podWith(1) },
    { it: 'belongs to a DaemonSet', pod: podWith(0, { ownerReferences: [daemonSet] }) },
    { it: 'is in an exempt namespace', pod: podWith(0, { namespace: 'kube-system' }) },
  ])('does not concern a pod that $it', ({ pod }) => {
    expect(decideOnce(plugin, { args: filter, nodes, pod }).preFilter).toEqual({ kind: 'skip' })
    expect(decideOnce(plugin, { args: score, nodes, pod }).preScore).toEqual({ kind: 'skip' })
  })

  test('exempts only the namespaces that are given', () => {
    const args = { ...filter, exemptNamespaces: ['system'] }
    const inKubeSystem = podWith(0, { namespace: 'kube-system' })
    expect(Object.keys(decideOnce(plugin, { args, nodes, pod: inKubeSystem }).rejected)).toEqual(['dongles'])
  })
})

describe('arguments', () => {
  test.for([
    { it: 'no resource', args: {}, says: 'args.resources: ' },
    { it: 'an unknown mode', args: { resources: [DONGLE], mode: 'taint' }, says: 'args.mode: ' },
    {
      it: 'a resource of Kubernetes itself',
      args: { resources: [DONGLE, 'memory'] },
      says: 'args.resources[1]: "memory" is not an extended resource',
    },
    { it: 'an unknown key', args: { resources: [DONGLE], exempt: [] }, says: 'args.exempt: no such key' },
  ])('are refused with $it', ({ args, says }) => {
    expect(() => createHooks(plugin, args)).toThrow(says)
  })
})
