import { describe, expect, test } from 'vitest'
import type { Pod } from '@berth/types'
import { isMeasuredPod, racePod } from '../race-cluster.ts'
import { raceCases } from '../race-cases.ts'
import { preemptionWorkload } from './preemption.ts'
import { unschedulableWorkload } from './unschedulable.ts'
import { basicWorkload, coldStartWorkload, uniqueWorkload } from './waiting-pods.ts'
import type { Workload } from './workload.ts'

function podsOf(workload: Workload): readonly Pod[] {
  return Array.from(workload.objects()).flatMap(([key, object]) => (key.startsWith('pods/') ? [object as Pod] : []))
}

describe('every workload', () => {
  test.for(raceCases)('$name generates its nodes, and each object once', ({ quick }) => {
    const keys = Array.from(quick.objects(), ([key]) => key)
    expect(keys.filter((key) => key.startsWith('minions/'))).toHaveLength(quick.nodes)
    expect(new Set(keys).size).toBe(keys.length)
  })

  test.for(raceCases)('$name generates all of its pods, or creates them while the scheduler runs', ({ quick }) => {
    const measured = podsOf(quick).filter(({ metadata }) => isMeasuredPod(metadata.name))
    expect(quick.release === undefined ? [quick.pods] : [0, quick.pods]).toContain(measured.length)
    expect(measured.every(({ spec }) => spec.nodeName === undefined)).toBe(true)
  })
})

test('each unique pod requests the resource of one node', () => {
  const entries = Array.from(uniqueWorkload({ nodes: 2, pods: 2 }).objects(), ([, object]) => object)
  expect(entries).toMatchObject([
    { status: { allocatable: { 'example.com/dongle-0': '1' } } },
    { status: { allocatable: { 'example.com/dongle-1': '1' } } },
    { spec: { containers: [{ resources: { requests: { 'example.com/dongle-0': '1' } } }] } },
    { spec: { containers: [{ resources: { requests: { 'example.com/dongle-1': '1' } } }] } },
  ])
})

test('basic pods request no extended resource', () => {
  const [pod] = podsOf(basicWorkload({ nodes: 1, pods: 1 }))
  expect(pod?.spec.containers[0]?.resources).toEqual({ requests: { cpu: '100m', memory: '128Mi' } })
})

test('a cold start has bound pods on every node', () => {
  const bound = podsOf(coldStartWorkload({ nodes: 2, pods: 1 }, 4)).flatMap(({ spec }) => spec.nodeName ?? [])
  expect(bound).toEqual(['node-0', 'node-1', 'node-0', 'node-1'])
})

describe('preemption', () => {
  const workload = preemptionWorkload({ nodes: 2, pods: 1 })
  const victims = podsOf(workload).filter(({ metadata }) => !isMeasuredPod(metadata.name))
  const placed = racePod('pod-0', {}, { nodeName: 'node-0' })

  test('fills the nodes with victims that the API server deletes at once', () => {
    expect(victims).toHaveLength(8)
    expect(victims.every(({ spec }) => spec.terminationGracePeriodSeconds === 0 && spec.priority === 0)).toBe(true)
  })

  test('refuses a pod that was placed without enough evictions', () => {
    expect(() => workload.check?.([placed, ...victims.slice(2)])).toThrow('2 pods were evicted')
  })

  test('accepts three evictions per pod', () => {
    expect(() => workload.check?.([placed, ...victims.slice(3)])).not.toThrow()
  })
})

describe('unschedulable', () => {
  const workload = unschedulableWorkload({ nodes: 1, pods: 1 }, 2)
  const [holder, ...unfit] = podsOf(workload)

  test('a bound pod holds all dongles that the others request', () => {
    expect(holder?.spec).toMatchObject({ nodeName: 'node-0' })
    expect(unfit.map(({ metadata }) => metadata.name)).toEqual(['unschedulable-0', 'unschedulable-1'])
  })

  test('refuses a bound pod of those that fit nowhere', () => {
    const bound = racePod('unschedulable-0', {}, { nodeName: 'node-0' })
    expect(() => workload.check?.([bound, racePod('unschedulable-1')])).toThrow(
      '1 of 2 pods that fit nowhere still wait',
    )
  })

  test('accepts that all pods that fit nowhere wait', () => {
    expect(() => workload.check?.(unfit)).not.toThrow()
  })
})
