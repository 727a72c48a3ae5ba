import { describe, expect, test } from 'vitest'
import { kubernetesVersion } from './kubernetes-version.ts'
import { lacksGate, versionDifferences } from './version-differences.ts'

describe('each entry of the list', () => {
  test('names versions that can be built, other than the newest', () => {
    const newest = kubernetesVersion().minor
    for (const minor of versionDifferences.flatMap(({ kubernetes }) => kubernetes)) {
      expect(kubernetesVersion(minor).minor).not.toBe(newest)
    }
  })

  test('names checks or a suite, a feature gate where there is one, and a reason', () => {
    for (const { featureGate = 'None', reason, checks = [], suite } of versionDifferences) {
      expect(checks.length > 0 || suite !== undefined).toBe(true)
      expect(featureGate).toMatch(/^[A-Z][A-Za-z]+$/)
      expect(reason).not.toBe('')
    }
  })

  test('leaves out a suite only for a feature gate', () => {
    const suites = versionDifferences.filter(({ suite }) => suite !== undefined)
    expect(suites.filter(({ featureGate }) => featureGate === undefined)).toEqual([])
  })

  test('lists a check once', () => {
    const listed = versionDifferences.flatMap(({ kubernetes, file, checks = [] }) =>
      kubernetes.flatMap((minor) => checks.map((check) => `${minor} ${file} ${check}`)),
    )
    expect(listed.filter((entry, i) => listed.indexOf(entry) !== i)).toEqual([])
  })
})

test('lacksGate says which versions have pod groups', () => {
  expect(['1.34', '1.35', '1.36'].map((minor) => lacksGate('GenericWorkload', minor))).toEqual([true, true, false])
})
