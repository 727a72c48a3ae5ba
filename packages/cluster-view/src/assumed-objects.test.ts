import { createClusterState } from '@berth/fit-engine'
import type { PersistentVolume } from '@berth/types'
import { expect, test } from 'vitest'
import { type AssumedObjects, createAssumedObjects, type FindApiObject } from './assumed-objects.ts'

const volume = (resourceVersion: string, claim?: string): PersistentVolume => ({
  metadata: { name: 'pv', resourceVersion },
  spec: { ...(claim !== undefined && { claimRef: { namespace: 'default', name: claim } }) },
})

function setUp(initial: PersistentVolume): {
  readonly assumed: AssumedObjects
  readonly shownClaim: () => string | undefined
  readonly send: (version: PersistentVolume | undefined) => void
} {
  const state = createClusterState()
  let sent: PersistentVolume | undefined = initial
  state.objects.set('persistentVolumes', initial)
  const assumed = createAssumedObjects(state, (() => sent) as FindApiObject)
  return {
    assumed,
    shownClaim: () => state.objects.get('persistentVolumes', 'pv')?.spec.claimRef?.name,
    // As the mirror of the API server does.
    send(version) {
      sent = version
      assumed.drop('persistentVolumes', 'pv')
      if (version === undefined) state.objects.delete('persistentVolumes', 'pv')
      else state.objects.set('persistentVolumes', version)
    },
  }
}

test('shows the assumed object until it is restored', () => {
  const { assumed, shownClaim } = setUp(volume('1'))
  expect(assumed.assume('persistentVolumes', volume('1', 'one'))).toBe(true)
  expect([shownClaim(), assumed.size]).toEqual(['one', 1])
  expect(assumed.restore('persistentVolumes', volume('1', 'one'))).toBe(true)
  expect([shownClaim(), assumed.size]).toEqual([undefined, 0])
  expect(assumed.restore('persistentVolumes', volume('1', 'one'))).toBe(false)
})

test('does not assume a change of a version that the API server replaced', () => {
  const { assumed, shownClaim } = setUp(volume('2'))
  expect(assumed.assume('persistentVolumes', volume('1', 'one'))).toBe(false)
  expect([shownClaim(), assumed.size]).toEqual([undefined, 0])
})

test('does not assume an object that is gone', () => {
  const { assumed, shownClaim, send } = setUp(volume('1'))
  send(undefined)
  expect(assumed.assume('persistentVolumes', volume('1', 'one'))).toBe(false)
  expect([shownClaim(), assumed.size]).toEqual([undefined, 0])
})

test('shows the next version of the API server, and does not undo it when the old assumption ends', () => {
  const { assumed, shownClaim, send } = setUp(volume('1'))
  assumed.assume('persistentVolumes', volume('1', 'one'))
  send(volume('2', 'two'))
  expect([shownClaim(), assumed.size]).toEqual(['two', 0])
  expect(assumed.restore('persistentVolumes', volume('1', 'one'))).toBe(false)
  expect(shownClaim()).toBe('two')
})

test('keeps a later assumption when an assumption of an older version ends', () => {
  const { assumed, shownClaim, send } = setUp(volume('1'))
  assumed.assume('persistentVolumes', volume('1', 'one'))
  send(volume('2'))
  assumed.assume('persistentVolumes', volume('2', 'two'))
  expect(assumed.restore('persistentVolumes', volume('1', 'one'))).toBe(false)
  expect([shownClaim(), assumed.size]).toEqual(['two', 1])
})

test('forgets the assumption of an object that is deleted', () => {
  const { assumed, shownClaim, send } = setUp(volume('1'))
  assumed.assume('persistentVolumes', volume('1', 'one'))
  send(undefined)
  expect(assumed.restore('persistentVolumes', volume('1', 'one'))).toBe(false)
  expect([shownClaim(), assumed.size]).toEqual([undefined, 0])
})
