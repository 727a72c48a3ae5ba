import type { Pod } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { createEvictionBudgets, type EvictionBudget } from './eviction-budgets.ts'

function pod(name: string, status: Pod['status'] = {}, labels: Record<string, string> = { app: 'web' }): Pod {
  const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
  return {
    metadata: { name, namespace: 'shop', uid: name, labels },
    spec: { containers: [] },
    status: { ...ready, ...status },
  }
}

function budget(
  disruptionsAllowed: number,
  { metadata, spec, status }: { metadata?: object; spec?: object; status?: object } = {},
): EvictionBudget {
  return {
    metadata: { name: 'web', namespace: 'shop', ...metadata },
    spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
    status: { disruptionsAllowed, currentHealthy: 2, desiredHealthy: 2, ...status },
  }
}

const unready = { conditions: [{ type: 'Ready', status: 'False' }] }

describe('createEvictionBudgets', () => {
  test('evicts as many pods as a budget allows, and another one for each that is given back', () => {
    const budgets = createEvictionBudgets([budget(1)])
    expect(budgets.evict(pod('a'))).toBeUndefined()
    const refusal = {
      budgets: ['shop/web'],
      sentence: 'PodDisruptionBudget shop/web needs 2 healthy pods and has 2',
    }
    expect(budgets.evict(pod('b'))).toEqual(refusal)
    budgets.giveBack(pod('b'))
    expect(budgets.evict(pod('b'))).toEqual(refusal)
    budgets.giveBack(pod('a'))
    budgets.giveBack(pod('a'))
    expect(budgets.evict(pod('b'))).toBeUndefined()
    expect(budgets.evict(pod('c'))).toEqual(refusal)
  })

  test.for<readonly [what: string, pod: Pod, budget: EvictionBudget]>([
    ['a pod of another app', pod('a', {}, { app: 'db' }), budget(0)],
    ['a pod of another namespace', pod('a'), budget(0, { metadata: { namespace: 'default' } })],
    ['a budget without a selector', pod('a'), budget(0, { spec: { selector: undefined } })],
    ['a pod that has not started', pod('a', { phase: 'Pending' }), budget(0)],
    ['a pod that has ended', pod('a', { phase: 'Failed' }), budget(0)],
    ['a pod that is not ready while enough are healthy', pod('a', unready), budget(0)],
    [
      'a pod that is not ready where the budget always allows that',
      pod('a', unready),
      budget(0, { spec: { unhealthyPodEvictionPolicy: 'AlwaysAllow' }, status: { currentHealthy: 1 } }),
    ],
  ])('evicts %s', ([, evicted, only]) => {
    expect(createEvictionBudgets([only]).evict(evicted)).toBeUndefined()
  })

  test.for<readonly [what: string, pod: Pod, budget: EvictionBudget]>([
    [
      'a pod that is not ready while too few are healthy',
      pod('a', unready),
      budget(0, { status: { currentHealthy: 1 } }),
    ],
    ['any pod where the selector is empty', pod('a', {}, {}), budget(0, { spec: { selector: {} } })],
    ['a pod whose budget has no status yet', pod('a'), { ...budget(0), status: {} }],
  ])('does not evict %s', ([, kept, only]) => {
    expect(createEvictionBudgets([only]).evict(kept)).toMatchObject({ budgets: ['shop/web'] })
  })

  test('does not evict a pod with several budgets, whatever they allow', () => {
    const budgets = createEvictionBudgets([budget(1), budget(1, { metadata: { name: 'all' } })])
    expect(budgets.evict(pod('a'))).toEqual({
      budgets: ['shop/web', 'shop/all'],
      sentence: 'the API server evicts no pod with several PodDisruptionBudgets: shop/web, shop/all',
    })
  })
})
