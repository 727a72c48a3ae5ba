import type { Node } from '@berth/types'
import { describe, expect, test, vi } from 'vitest'
import { kubeletAmounts } from './kubelet-amounts.ts'
import { createNodeTrimmer, skippedNodeFields } from './node-trimmer.ts'

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
      capacity: { cpu: '4', 'example.com/dongle': '2' },
      allocatable: { cpu: '3' },
      conditions: [{ type: 'Ready', status: 'True' }],
      addresses: [{ type: 'Hostname', address: name }],
      images: [{ names: ['large'] }],
    },
  }
}

const { signal } = new AbortController()
const notRead = async (): Promise<undefined> => expect.unreachable('the node is read')

describe('createNodeTrimmer', () => {
  test('keeps what a plan reads: the amounts of extended resources, and of managedFields those that the kubelet wrote', () => {
    const node = sampleNode('node-a')
    const trimmed = createNodeTrimmer(notRead).trim(node)
    expect(kubeletAmounts(trimmed)).toEqual(kubeletAmounts(node))
    expect(trimmed).toMatchObject({ metadata: { name: 'node-a', uid: 'uid-node-a', resourceVersion: '7' } })
    expect(trimmed.metadata.managedFields).toHaveLength(1)
    expect(trimmed.status).toEqual({ capacity: { 'example.com/dongle': '2' }, allocatable: {} })
  })

  test('shares the fields of the kubelet between nodes', () => {
    const { trim } = createNodeTrimmer(notRead)
    const [a, b] = ['node-a', 'node-b'].map((name) => trim(sampleNode(name)).metadata.managedFields?.[0])
    expect(a).toBe(b)
  })

  test('gives resource sources the fields that only they read, and no images', async () => {
    const { spec, status } = sampleNode('node-a')
    const { images: _, ...kept } = status ?? {}
    const trimmer = createNodeTrimmer(notRead)
    trimmer.keepSourceFields()
    const given = await trimmer.forSources(trimmer.trim(sampleNode('node-a')), signal)
    expect(given).toMatchObject({ spec, status: kept })
    expect(given.status).not.toHaveProperty('images')
    expect(skippedNodeFields).toContain('status.images')
  })

  test('reads a node once if it was trimmed before a source was declared', async () => {
    const node = sampleNode('node-a')
    const read = vi.fn(async () => node)
    const trimmer = createNodeTrimmer(read)
    const trimmed = trimmer.trim(node)
    trimmer.keepSourceFields()
    for (let i = 0; i < 2; i++)
      expect(await trimmer.forSources(trimmed, signal)).toMatchObject({
        metadata: { labels: { zone: 'a' } },
        spec: node.spec,
        status: { capacity: { cpu: '4' }, addresses: node.status?.addresses },
      })
    expect(read.mock.calls).toEqual([['node-a', signal]])
  })

  test('gives sources a deleted node as it was trimmed', async () => {
    const trimmer = createNodeTrimmer(async () => undefined)
    const trimmed = trimmer.trim(sampleNode('node-a'))
    expect(await trimmer.forSources(trimmed, signal)).toBe(trimmed)
  })

  test('a node that was not trimmed is given to sources as it is', async () => {
    const node = sampleNode('node-a')
    expect(await createNodeTrimmer(notRead).forSources(node, signal)).toBe(node)
  })
})
