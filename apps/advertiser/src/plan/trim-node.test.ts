import type { Node } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { kubeletAmounts } from './kubelet-amounts.ts'
import { nodeForSources, skippedNodeFields, trimNode } from './trim-node.ts'

const entry = (manager: string, status: object): object => ({ manager, fieldsV1: { 'f:status': status } })

function sampleNode(name: string): Node {
  return {
    metadata: {
      name,
      uid: `uid-${name}`,
      resourceVersion: '7',
      labels: { zone: 'a' },
      annotations: { note: 'b' },
      managedFields: [
        entry('kubelet', { 'f:capacity': { 'f:example.com/dongle': {} }, 'f:conditions': { 'f:status': {} } }),
        entry('kubelet', { 'f:conditions': {} }),
        entry('berth-advertiser', { 'f:capacity': { 'f:example.com/seat': {} } }),
      ],
    },
    spec: { podCIDR: '10.0.0.0/24' },
    status: {
      capacity: { cpu: '4' },
      allocatable: { cpu: '3' },
      conditions: [{ type: 'Ready', status: 'True' }],
      addresses: [{ type: 'Hostname', address: name }],
      images: [{ names: ['large'] }],
    },
  }
}

describe('trimNode', () => {
  test('keeps what a plan reads, and of managedFields only the amounts that the kubelet wrote', () => {
    const node = sampleNode('node-a')
    const trimmed = trimNode(node)
    expect(kubeletAmounts(trimmed)).toEqual(kubeletAmounts(node))
    expect(trimmed).toMatchObject({ metadata: { name: 'node-a', uid: 'uid-node-a', resourceVersion: '7' } })
    expect(trimmed.metadata.managedFields).toHaveLength(1)
    expect(trimmed.status).toEqual({ capacity: { cpu: '4' }, allocatable: { cpu: '3' } })
  })

  test('shares the fields of the kubelet between nodes', () => {
    const [a, b] = ['node-a', 'node-b'].map((name) => trimNode(sampleNode(name)).metadata.managedFields?.[0])
    expect(a).toBe(b)
  })

  test('gives resource sources the fields that only they read, and no images', () => {
    const { spec, status } = sampleNode('node-a')
    const { images: _, ...kept } = status ?? {}
    const given = nodeForSources(trimNode(sampleNode('node-a')))
    expect(given).toMatchObject({ spec, status: kept })
    expect(given.status).not.toHaveProperty('images')
    expect(skippedNodeFields).toContain('status.images')
  })

  test('a node that was not trimmed is given to sources as it is', () => {
    const node = sampleNode('node-a')
    expect(nodeForSources(node)).toBe(node)
  })
})
