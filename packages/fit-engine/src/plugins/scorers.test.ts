import { describe, expect, test } from 'vitest'
import { boundPod, input, node, pod } from '../../test/builders.ts'
import { createClusterState } from '../state/create-cluster-state.ts'
import { type BalancedAllocationArgs, type ClusterState, examineScore } from '../index.ts'
import { balancedAllocation } from './balanced-allocation.ts'
import { imageLocality } from './image-locality.ts'

const DONGLE = 'example.com/dongle'
const all = { ...input, feasible: [] }

describe('NodeResourcesBalancedAllocation', () => {
  const resources = ['cpu', 'memory', DONGLE].map((name) => ({ name, weight: 1 }))
  test.for<{
    it: string
    args?: BalancedAllocationArgs
    offers: Record<string, string>
    held?: Record<string, string>
    asks: Record<string, string>
    score: number
  }>([
    { it: 'keeps the balance', offers: { cpu: '4', memory: '4Gi' }, asks: { cpu: '1', memory: '1Gi' }, score: 75 },
    { it: 'loses balance', offers: { cpu: '4', memory: '4Gi' }, asks: { cpu: '2' }, score: 62 },
    {
      it: 'gains balance',
      offers: { cpu: '4', memory: '4Gi' },
      held: { cpu: '2' },
      asks: { memory: '2Gi' },
      score: 87,
    },
    {
      it: 'counts what is over-used as full',
      offers: { cpu: '1', memory: '4Gi' },
      asks: { cpu: '9', memory: '4Gi' },
      score: 75,
    },
    { it: 'knows one resource only', offers: { cpu: '4', memory: '0' }, asks: { cpu: '1' }, score: 75 },
    {
      it: 'knows three resources',
      args: { resources },
      offers: { cpu: '4', memory: '4Gi', [DONGLE]: '4' },
      asks: { cpu: '4', [DONGLE]: '2' },
      score: 54,
    },
    {
      it: 'leaves out what the pod does not ask for',
      args: { resources },
      offers: { cpu: '4', memory: '4Gi', [DONGLE]: '4' },
      asks: { cpu: '2' },
      score: 62,
    },
    {
      it: 'holds so much that Go reckons with a balance far below 0',
      offers: { cpu: '4', memory: '8Gi' },
      held: { cpu: '1Ei' },
      asks: { cpu: '1', memory: '1Gi' },
      score: 91,
    },
    { it: 'is exact beyond 2^53', offers: { cpu: '4', memory: '16Pi' }, asks: { cpu: '1', memory: '4Pi' }, score: 75 },
  ])('scores $score for a node that $it', ({ args, offers, held, asks, score }) => {
    const state = createClusterState()
    state.setNode(node('n', offers))
    if (held !== undefined) state.setPod(boundPod('holder', 'n', held))
    expect(examineScore(balancedAllocation(args), state, pod('p', asks), all).raw.get('n')).toBe(score)
  })

  test('skips a pod that asks for nothing that counts', () => {
    const state = createClusterState()
    state.setNode(node('n', { [DONGLE]: '1' }))
    expect(examineScore(balancedAllocation(), state, pod('p', { [DONGLE]: '1' }), all).isSkipped).toBe(true)
  })

  test.for<{ args: unknown; says: string }>([
    { args: { resource: [] }, says: 'there is no field "resource"' },
    { args: { resources: [{ name: 'cpu', weight: 2 }] }, says: 'resources[0].weight: 2 is not 1' },
    { args: { resources: [{ name: 'cpu' }, { name: 'cpu' }] }, says: 'resources[1].name: cpu is there twice' },
  ])('refuses arguments: $says', ({ args, says }) => {
    expect(() => balancedAllocation(args as BalancedAllocationArgs)).toThrow(
      expect.objectContaining({ code: 'BERTH_FIT_ARGS', message: expect.stringContaining(says) }),
    )
  })
})

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
    { it: 'more than the most that counts', images: { 'app:latest': 9000 }, runs: ['app'], score: 100 },
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
      it: 'is what the only node with it said last',
      events: [
        ['a', 30],
        ['a', 900],
      ],
      size: 900,
    },
    {
      it: 'stays what the first of two nodes said',
      events: [
        ['a', 30],
        ['b', 900],
        ['b', 500],
      ],
      size: 30,
    },
    {
      it: 'stays as the other node knows it',
      events: [
        ['a', 30],
        ['b', 30],
        ['a', 900],
      ],
      size: 30,
    },
    {
      it: 'stays what a node said that is gone',
      events: [
        ['b', 30],
        ['a', 900],
        ['b', 'gone'],
      ],
      size: 30,
    },
    {
      it: 'is what the last node repeats',
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

  test('follows nodes that come, change and go', () => {
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
