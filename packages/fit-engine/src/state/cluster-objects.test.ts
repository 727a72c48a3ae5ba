import { describe, expect, test } from 'vitest'
import { createClusterState } from './create-cluster-state.ts'
import { objectKey } from './cluster-objects.ts'

const namespace = (name: string, team: string) => ({ metadata: { name, labels: { team } } })

describe('cluster objects', () => {
  test.for([
    { metadata: { name: 'zone' }, key: 'zone' },
    { metadata: { name: 'web', namespace: 'shop' }, key: 'shop/web' },
    { metadata: { name: 'web', namespace: '' }, key: 'web' },
    { metadata: {}, key: '' },
  ])('have the key "$key" for the metadata $metadata', ({ metadata, key }) => {
    expect(objectKey(metadata)).toBe(key)
  })

  test('are found by kind and key, replaced and removed', () => {
    const { objects } = createClusterState()
    objects.set('namespaces', namespace('shop', 'a'))
    objects.set('services', { metadata: { name: 'shop', namespace: 'shop' } })
    objects.set('namespaces', namespace('shop', 'b'))
    expect(objects.get('namespaces', 'shop')).toEqual(namespace('shop', 'b'))
    expect(objects.list('namespaces')).toEqual([namespace('shop', 'b')])
    expect(objects.list('statefulSets')).toEqual([])
    objects.delete('namespaces', 'shop')
    expect(objects.get('namespaces', 'shop')).toBeUndefined()
    expect(objects.get('services', 'shop/shop')?.metadata.name).toBe('shop')
  })

  test('have a generation that grows with changes only', () => {
    const { objects } = createClusterState()
    objects.set('namespaces', namespace('shop', 'a'))
    const { generation } = objects
    const ofServices = objects.generationOf('services')
    objects.delete('namespaces', 'absent')
    expect(objects.generation).toBe(generation)
    objects.delete('namespaces', 'shop')
    expect(objects.generation).toBeGreaterThan(generation)
    expect(objects.generationOf('services')).toBe(ofServices)
  })

  test('do not change a list that was returned earlier', () => {
    const { objects } = createClusterState()
    objects.set('namespaces', namespace('shop', 'a'))
    const before = objects.list('namespaces')
    objects.set('namespaces', namespace('bank', 'a'))
    expect(before).toHaveLength(1)
    expect(objects.list('namespaces')).toHaveLength(2)
  })

  test('of a fork and of its origin do not see the later changes of each other', () => {
    const state = createClusterState()
    state.objects.set('namespaces', namespace('shop', 'a'))
    const fork = state.fork()
    fork.objects.delete('namespaces', 'shop')
    state.objects.set('namespaces', namespace('bank', 'a'))
    expect(fork.objects.list('namespaces')).toEqual([])
    expect(state.objects.list('namespaces').map(({ metadata }) => metadata.name)).toEqual(['shop', 'bank'])
  })
})
