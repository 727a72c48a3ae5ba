import { describe, expect, test } from 'vitest'
import { input, node, pod } from '../../../test/builders.ts'
import { type ClusterState, examineScore } from '../../index.ts'
import { createClusterState } from '../../state/create-cluster-state.ts'
import { imageLocality } from './plugin.ts'

const all = { ...input, feasible: [] }

describe('ImageLocality', () => {
  const MEBIBYTE = 1024 * 1024
  const withImages = (name: string, images: Record<string, number>) => {
    const { metadata, status } = node(name)
    const list = Object.entries(images).map(([image, size]) => ({ names: [image], sizeBytes: size * MEBIBYTE }))
    return { metadata, status: { ...status, images: list } }
  }
  const running = (...images: readonly string[]) =>
    pod('p', {}, { containers: images.map((image, i) => ({ name: `c${i}`, image })) })

  test.for([
    { it: 'an image that it holds', images: { 'app:latest': 1000 }, runs: ['app'], score: 48 },
    {
      it: 'an image by digest',
      images: { 'r.org:5000/app@sha256:00': 1000 },
      runs: ['r.org:5000/app@sha256:00'],
      score: 48,
    },
    { it: 'an image that it does not hold', images: { 'app:v1': 1000 }, runs: ['app:v2'], score: 0 },
    { it: 'an image too small to matter', images: { 'app:latest': 20 }, runs: ['app'], score: 0 },
    { it: 'images above the maximum', images: { 'app:latest': 9000 }, runs: ['app'], score: 100 },
    { it: 'one of two images', images: { 'app:latest': 1000 }, runs: ['app', 'side'], score: 24 },
  ])('scores $score for $it', ({ images, runs, score }) => {
    const state = createClusterState()
    state.setNode(withImages('n', images))
    state.setNode(node('other'))
    const { raw } = examineScore(imageLocality, state, running(...runs), all)
    expect([raw.get('n'), raw.get('other')]).toEqual([score, 0])
  })

  test.for<{ it: string; events: readonly (readonly [node: string, size: number | 'gone'])[]; size: number }>([
    {
      it: 'is the latest that the only node with it reported',
      events: [
        ['a', 30],
        ['a', 900],
      ],
      size: 900,
    },
    {
      it: 'stays the one that the first of two nodes reported',
      events: [
        ['a', 30],
        ['b', 900],
        ['b', 500],
      ],
      size: 30,
    },
    {
      it: 'stays the one that the other node reports',
      events: [
        ['a', 30],
        ['b', 30],
        ['a', 900],
      ],
      size: 30,
    },
    {
      it: 'stays the one that a removed node reported',
      events: [
        ['b', 30],
        ['a', 900],
        ['b', 'gone'],
      ],
      size: 30,
    },
    {
      it: 'is the one that the last node repeats',
      events: [
        ['b', 30],
        ['a', 900],
        ['b', 'gone'],
        ['a', 900],
      ],
      size: 900,
    },
  ])('the size of an image $it', ({ events, size }) => {
    const state = createClusterState()
    for (const [name, said] of events) {
      if (said === 'gone') state.deleteNode(name)
      else state.setNode(withImages(name, { 'app:latest': said }))
    }
    const fresh = createClusterState()
    for (const name of state.nodeNames()) fresh.setNode(withImages(name, { 'app:latest': size }))
    const scoreOf = (of: ClusterState) => examineScore(imageLocality, of, running('app'), all).raw.get('a')
    expect(scoreOf(state)).toBe(scoreOf(fresh))
  })

  test('counts image volumes', () => {
    const state = createClusterState()
    state.setNode(withImages('n', { 'data:v1': 1000 }))
    const p = pod(
      'p',
      {},
      {
        volumes: [
          { name: 'v', image: { reference: 'data:v1' } },
          { name: 'w', image: 'odd' },
        ],
      },
    )
    expect(examineScore(imageLocality, state, p, all).raw.get('n')).toBe(100)
  })

  test('follows added, changed and removed nodes', () => {
    const state = createClusterState()
    const scoreOf = (name: string) => examineScore(imageLocality, state, running('app'), all).raw.get(name)
    state.setNode(withImages('a', { 'app:latest': 1000 }))
    state.setNode(withImages('b', { 'app:latest': 1 }))
    expect([scoreOf('a'), scoreOf('b')]).toEqual([100, 100])
    const fork = state.fork()
    state.setNode(withImages('a', { 'app:v2': 1000 }))
    expect([scoreOf('a'), scoreOf('b')]).toEqual([0, 48])
    state.deleteNode('b')
    expect(scoreOf('a')).toBe(0)
    expect(examineScore(imageLocality, fork, running('app'), all).raw.get('b')).toBe(100)
  })
})
