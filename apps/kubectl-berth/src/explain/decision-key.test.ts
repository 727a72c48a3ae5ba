import type { Pod } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { decisionKeyOf } from './decision-key.ts'

const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-1', uid: 'set', controller: true }

const pod = (name: string, spec: Partial<Pod['spec']> = {}, more: Partial<Pod['metadata']> = {}): Pod => ({
  metadata: { name, namespace: 'default', uid: name, ownerReferences: [owner], labels: { app: 'web' }, ...more },
  spec: {
    containers: [{ name: 'c', resources: { requests: { cpu: '1' } }, env: [{ name: 'POD', value: name }] }],
    ...spec,
    volumes: [{ name: `token-${name}`, projected: { sources: [] } }, ...(spec.volumes ?? [])],
  },
})

describe('decisionKeyOf', () => {
  test('is the same for pods of one workload that differ in names, environment, token volumes and ordinals', () => {
    const ordinal = (index: string) => ({ labels: { app: 'web', 'apps.kubernetes.io/pod-index': index } })
    expect(decisionKeyOf(pod('a', {}, ordinal('0')))).toBe(decisionKeyOf(pod('b', {}, ordinal('1'))))
    expect(decisionKeyOf(pod('a'))).toBeTypeOf('string')
  })

  test.for<{ it: string; other: Pod }>([
    { it: 'a claim', other: pod('b', { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data-1' } }] }) },
    { it: 'a nodeSelector', other: pod('b', { nodeSelector: { disk: 'ssd' } }) },
    { it: 'a label', other: pod('b', {}, { labels: { app: 'db' } }) },
    { it: 'a priority', other: pod('b', { priority: 5 }) },
    { it: 'a namespace', other: pod('b', {}, { namespace: 'lab' }) },
    { it: 'a request', other: pod('b', { containers: [{ name: 'c', resources: { requests: { cpu: '2' } } }] }) },
    { it: 'a controller', other: pod('b', {}, { ownerReferences: [{ ...owner, uid: 'other' }] }) },
  ])('differs with $it', ({ other }) => {
    expect(decisionKeyOf(other)).not.toBe(decisionKeyOf(pod('a')))
  })

  test('is defined for a pod whose node name is empty', () => {
    expect(decisionKeyOf(pod('a', { nodeName: '' }))).toBeTypeOf('string')
  })

  test('is undefined for pods that must be decided alone', () => {
    expect(decisionKeyOf(pod('a', {}, { ownerReferences: [] }))).toBeUndefined()
    expect(decisionKeyOf(pod('a', { nodeName: 'n' }))).toBeUndefined()
    expect(decisionKeyOf({ ...pod('a'), status: { nominatedNodeName: 'n' } })).toBeUndefined()
  })
})
