import type { DecidePlugin } from '@berth/types'
import { expect, test } from 'vitest'
import { input, node, pod } from '../../test/builders.ts'
import type { EnginePlugin } from '../framework/engine-plugin.ts'
import { createClusterState } from '../state/create-cluster-state.ts'
import { createFramework, decide, type HookMeter } from '../index.ts'

/** A clock that a hook moves, and what was accounted. */
function bench(): { readonly advance: (ms: number) => void; readonly meter: HookMeter; readonly lines: string[] } {
  let nowMs = 1_000
  const lines: string[] = []
  const meter: HookMeter = {
    now: () => nowMs,
    spent: (plugin, point, ms) => void lines.push(`${plugin} ${point} ${ms}`),
  }
  return { advance: (ms) => void (nowMs += ms), meter, lines }
}

const twoNodes = () => {
  const state = createClusterState()
  state.setNode(node('a'))
  state.setNode(node('b'))
  return state
}

test('measures each hook once for all nodes', () => {
  const { advance, meter, lines } = bench()
  const slow: DecidePlugin = {
    name: 'Slow',
    preFilter: () => {
      advance(1)
      return undefined
    },
    filter: () => {
      advance(2)
    },
    preScore: () => {
      advance(3)
      return undefined
    },
    score: () => {
      advance(4)
    },
    normalizeScore: () => {
      advance(5)
    },
  }
  const quick: DecidePlugin = { name: 'Quick', filter: () => undefined }
  const profile = createFramework({ plugins: [slow, quick].map((plugin) => ({ plugin, weight: 1 })) })
  decide(profile, twoNodes(), pod('p'), { ...input, meter })
  expect(lines).toEqual(['Slow PreFilter 1', 'Slow Filter 2', 'Quick Filter 0', 'Slow PreScore 3', 'Slow Score 9'])
})

test('measures a hook that throws', () => {
  const { advance, meter, lines } = bench()
  const broken: DecidePlugin = {
    name: 'Broken',
    filter: () => {
      advance(7)
      throw new Error('out of order')
    },
  }
  const profile = createFramework({ plugins: [{ plugin: broken, weight: 1 }] })
  const { error } = decide(profile, twoNodes(), pod('p'), { ...input, meter })
  expect([error?.message, lines]).toEqual(['running Filter plugin "Broken": out of order', ['Broken Filter 7']])
})

test.for([42, undefined])('measures a scorer once, whether its uniform score is %s', (uniform) => {
  const { advance, meter, lines } = bench()
  const scorer: EnginePlugin = {
    name: 'Scorer',
    uniformScore: () => {
      advance(1)
      return uniform
    },
    score: () => {
      advance(2)
    },
  }
  decide(createFramework({ plugins: [{ plugin: scorer, weight: 1 }] }), twoNodes(), pod('p'), { ...input, meter })
  expect(lines).toEqual([`Scorer Score ${uniform === undefined ? 2 : 1}`])
})
