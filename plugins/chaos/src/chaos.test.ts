import type { DecideContext, Pod, SchedulingHooks } from '@berth/plugin-api'
import { createPluginRegistry } from '@berth/plugin-api'
import { decideOnce, runSchedulingPlugin, sampleCluster, seededRandom } from '@berth/plugin-api/testing'
import { silentLogger } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { samples } from '../test/sample.ts'
import { plugins } from './index.ts'

const registry = createPluginRegistry(plugins.map((plugin) => ({ plugin, origin: 'here' })))
const clock = { now: () => 0, monotonic: () => 0, setTimer: () => ({ cancel: () => {} }) }
const hooksOf = (name: string, args: unknown = {}): SchedulingHooks =>
  registry.createScheduling(name, args, { log: silentLogger, clock, random: () => 0 })

const names = ['node-a', 'node-b', 'node-c', 'node-d']
const cluster = sampleCluster(names.map((name) => ({ name })))
const pod: Pod = { metadata: { name: 'demo', namespace: 'default' }, spec: { containers: [] } }
const candidates = { rows: Int32Array.from(cluster.rows), count: names.length }
const context = (random: () => number): DecideContext => ({
  cluster: cluster.reader,
  nowMs: 0,
  random,
  state: new Map(),
})

function scores(name: string, random: () => number): readonly number[] {
  const output = new Float64Array(names.length)
  hooksOf(name).score?.(pod, candidates, output, context(random))
  return [...output]
}

function rejections(args: unknown, random: () => number): ReadonlyMap<number, string> {
  const reasons = new Map<number, string>()
  const reject = (i: number, _code: number, reason = '') => void reasons.set(i, reason)
  hooksOf('chaos-coin-flip', args).filter?.(pod, candidates, { codes: new Uint8Array(4), reject }, context(random))
  return reasons
}

describe('every chaos plugin', () => {
  test.for(plugins.map((plugin) => ({ name: plugin.name, plugin })))(
    '$name passes the contract checks',
    ({ plugin }) => {
      expect(runSchedulingPlugin(plugin, samples[plugin.name]).length).toBeGreaterThan(0)
    },
  )

  test.for(plugins.map(({ name }) => name))('%s refuses an unknown argument', (name) => {
    expect(() => hooksOf(name, { sides: 6 })).toThrow('args.sides: no such key')
  })
})

describe('every chaos plugin with a selection', () => {
  const inNamespace = (namespace: string): Pod => ({ ...pod, metadata: { name: 'demo', namespace, uid: 'demo' } })
  const nodes = names.map((name) => ({ name }))
  const all = plugins.map(({ name }, i) => ({ name, plugin: plugins[i] }))

  test.for(all)('$name does not concern pods of namespaces that are not selected', ({ plugin }) => {
    const skipped = { kind: 'skip' }
    const decided = decideOnce(plugin, { nodes, pod: inNamespace('kube-system') })
    expect([decided.preFilter, decided.preScore]).toContainEqual(skipped)
    expect(decided.rejected).toEqual({})
    const given = decideOnce(plugin, { nodes, pod: inNamespace('kube-system'), args: { namespaces: ['*'] } })
    expect([given.preFilter, given.preScore]).not.toContainEqual(skipped)
    const other = decideOnce(plugin, { nodes, pod: inNamespace('default'), args: { namespaces: ['kube-system'] } })
    expect([other.preFilter, other.preScore]).toContainEqual(skipped)
  })

  test.for(all)('$name draws the same for a pod and a node with a seed, whatever the host draws', ({ plugin }) => {
    const decideWith = (args: object, seed: number) =>
      decideOnce(plugin, { nodes, pod: inNamespace('default'), args, seed })
    expect(decideWith({ seed: 7 }, 1)).toEqual(decideWith({ seed: 7 }, 2))
    const distinct = new Set(Array.from({ length: 20 }, (_, seed) => JSON.stringify(decideWith({ seed }, 1))))
    expect(distinct.size).toBeGreaterThan(5)
  })
})

describe('chaos-random-score', () => {
  test.for([
    { draw: 0, score: 0 },
    { draw: 0.5, score: 50 },
    { draw: 0.999_999, score: 100 },
  ])('scores a draw of $draw with $score', ({ draw, score }) => {
    expect(scores('chaos-random-score', () => draw)).toEqual([score, score, score, score])
  })

  test('lets every node win about equally often', () => {
    const random = seededRandom(2020)
    const wins = new Map<number, number>()
    for (let round = 0; round < 4_000; round++) {
      const drawn = scores('chaos-random-score', random)
      const best = drawn.flatMap((score, i) => (score === Math.max(...drawn) ? [i] : []))
      const winner = best[Math.floor(random() * best.length)] ?? 0
      wins.set(winner, (wins.get(winner) ?? 0) + 1)
    }
    for (const count of wins.values()) expect(Math.abs(count - 1_000)).toBeLessThan(120)
    expect(wins.size).toBe(4)
  })
})

describe('chaos-coin-flip', () => {
  test('lets nodes with heads pass and names each node with tails', () => {
    const draws = [0.1, 0.9, 0.499, 0.5]
    expect([...rejections({}, () => draws.shift() ?? 0)]).toEqual([
      [1, 'demo cannot be scheduled to node-b: coin is tails'],
      [3, 'demo cannot be scheduled to node-d: coin is tails'],
    ])
  })

  test.for([
    { headsProbability: 0, rejected: 4 },
    { headsProbability: 1, rejected: 0 },
  ])('rejects $rejected of 4 nodes with headsProbability $headsProbability', ({ headsProbability, rejected }) => {
    expect(rejections({ headsProbability }, seededRandom(1)).size).toBe(rejected)
  })

  test('lets the given number of nodes pass even when all coins are tails', () => {
    expect(rejections({ headsProbability: 0, minNodes: 3 }, seededRandom(1)).size).toBe(1)
    expect(rejections({ headsProbability: 0, minNodes: 9 }, seededRandom(1)).size).toBe(0)
  })

  test('flips fairly with a seed', () => {
    let heads = 0
    for (let seed = 0; seed < 1_000; seed++) heads += 4 - rejections({ seed }, () => 0).size
    expect(Math.abs(heads - 2_000)).toBeLessThan(150)
  })

  test('refuses a probability above 1', () => {
    expect(() => hooksOf('chaos-coin-flip', { headsProbability: 1.5 })).toThrow('args.headsProbability')
  })
})

describe('chaos-dice', () => {
  test('rolls each of the eleven faces about equally often and scores ten times the face', () => {
    const random = seededRandom(6)
    const faces = new Map<number, number>()
    for (let round = 0; round < 2_750; round++) {
      for (const score of scores('chaos-dice', random)) faces.set(score, (faces.get(score) ?? 0) + 1)
    }
    expect([...faces.keys()].toSorted((a, b) => a - b)).toEqual([0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100])
    for (const count of faces.values()) expect(Math.abs(count - 1_000)).toBeLessThan(120)
  })
})
