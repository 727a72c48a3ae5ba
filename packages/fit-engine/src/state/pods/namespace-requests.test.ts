import type { Pod } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { createClusterState } from '../create-cluster-state.ts'

const DONGLE = 'example.com/dongle'

function pod(namespace: string, name: string, units: number, nodeName?: string): Pod {
  const requests = { [DONGLE]: units }
  return {
    metadata: { namespace, name, uid: `${namespace}/${name}` },
    spec: { containers: [{ name: 'main', resources: { requests } }], ...(nodeName !== undefined && { nodeName }) },
  }
}

describe('requestedInNamespace', () => {
  test('counts bound and assumed pods of the namespace, on any node, until they end', () => {
    const state = createClusterState()
    state.setPod(pod('red', 'bound', 3, 'node-a'))
    state.setPod(pod('blue', 'other', 7, 'node-a'))
    state.setPod(pod('red', 'waiting', 5))
    expect(state.requestedInNamespace('red', DONGLE)).toBe(3n)
    state.assume(pod('red', 'flying', 2), 'node-b')
    expect(state.requestedInNamespace('red', DONGLE)).toBe(5n)
    state.setPod({ ...pod('red', 'bound', 3, 'node-a'), status: { phase: 'Succeeded' } })
    expect(state.requestedInNamespace('red', DONGLE)).toBe(2n)
    state.forget(pod('red', 'flying', 2))
    expect(state.requestedInNamespace('red', DONGLE)).toBe(0n)
    expect(state.requestedInNamespace('blue', DONGLE)).toBe(7n)
    expect(state.requestedInNamespace('green', 'example.com/unknown')).toBe(0n)
  })

  test('stays equal to the sum over all pods through random changes, and independent of forks', () => {
    const state = createClusterState()
    const placed = new Map<string, number>()
    let seed = 7
    const next = (below: number): number => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) % below
    for (let step = 0; step < 200; step++) {
      const name = `pod-${next(20)}`
      const units = next(4)
      if (next(3) === 0) {
        state.deletePod(pod('red', name, 0))
        placed.delete(name)
      } else {
        state.setPod(pod('red', name, units, `node-${next(3)}`))
        placed.set(name, units)
      }
      const fork = state.fork()
      fork.setPod(pod('red', 'fork', 100, 'node-a'))
      const sum = [...placed.values()].reduce((a, b) => a + b, 0)
      expect(state.requestedInNamespace('red', DONGLE)).toBe(BigInt(sum))
      expect(fork.requestedInNamespace('red', DONGLE)).toBe(BigInt(sum + 100))
    }
  })
})

describe('requestOf', () => {
  test('returns the request of a pod, whether it has a node or not', () => {
    const state = createClusterState()
    const waiting = pod('red', 'waiting', 5)
    expect(state.requestOf(waiting, DONGLE)).toBe(5n)
    expect(state.requestOf(waiting, 'example.com/other')).toBe(0n)
    state.assume(waiting, 'node-a')
    expect(state.requestOf(waiting, DONGLE)).toBe(5n)
    const small: Pod = {
      metadata: { namespace: 'red', name: 'small' },
      spec: { containers: [{ name: 'main', resources: { requests: { cpu: '250m', memory: '1Ki' } } }] },
    }
    expect([state.requestOf(small, 'cpu'), state.requestOf(small, 'memory')]).toEqual([250n, 1024n])
  })
})
