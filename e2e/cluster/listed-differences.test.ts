import { describe, expect, test } from 'vitest'
import { differencesOf, expectsFailure, leavesOut, unmatchedEntries } from './listed-differences.ts'
import type { VersionDifference } from './version-differences.ts'

const file = 'nodes/a.test.ts'
const base = { kubernetes: ['1.34'], featureGate: 'Gate', reason: 'off', file }
const suite: VersionDifference = { ...base, suite: 'needs the gate' }
const checks: VersionDifference = { ...base, checks: ['one', 'two'] }
const check = (title: string, ...suites: readonly string[]) => ({ file, suites, title })

test('differencesOf returns the entries of a version only', () => {
  const both = { ...checks, kubernetes: ['1.34', '1.35'] }
  expect(differencesOf([suite, both], '1.35')).toEqual([both])
  expect(differencesOf([suite, both], '1.36')).toEqual([])
})

describe('an entry', () => {
  test('leaves out its suite at any depth, in its file only', () => {
    expect(leavesOut(suite, check('x', 'all', 'needs the gate', 'inner'))).toBe(true)
    expect(leavesOut(suite, check('x', 'another'))).toBe(false)
    expect(leavesOut(suite, { ...check('x', 'needs the gate'), file: 'nodes/b.test.ts' })).toBe(false)
    expect(leavesOut(checks, check('one'))).toBe(false)
  })

  test('expects the failure of its checks, in its file only', () => {
    expect(expectsFailure(checks, check('two', 'any'))).toBe(true)
    expect(expectsFailure(checks, check('three'))).toBe(false)
    expect(expectsFailure(checks, { ...check('two'), file: 'nodes/b.test.ts' })).toBe(false)
    expect(expectsFailure(suite, check('needs the gate'))).toBe(false)
  })
})

test('an entry with a suite expects the failure of the checks of that suite only', () => {
  const within = { ...checks, within: 'with kube-scheduler' }
  expect(expectsFailure(within, check('one', 'volumes', 'with kube-scheduler'))).toBe(true)
  expect(expectsFailure(within, check('one', 'volumes', 'with Berth'))).toBe(false)
  expect(unmatchedEntries([within], [check('one', 'with Berth'), check('two', 'with kube-scheduler')])).toEqual([
    `${file}: one`,
  ])
})

describe('unmatchedEntries', () => {
  test('names each listed suite and check that a file that ran does not have', () => {
    expect(unmatchedEntries([suite, checks], [check('one', 'other')])).toEqual([
      `${file}: needs the gate`,
      `${file}: two`,
    ])
  })

  test('returns nothing when all are there, or when the file did not run', () => {
    expect(unmatchedEntries([suite, checks], [check('one', 'needs the gate'), check('two')])).toEqual([])
    expect(unmatchedEntries([suite, checks], [{ ...check('x'), file: 'nodes/b.test.ts' }])).toEqual([])
  })
})
