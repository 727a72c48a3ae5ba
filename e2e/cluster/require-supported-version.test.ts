import { describe, expect, test } from 'vitest'
import { CannotRunError } from './cannot-run.ts'
import { requireSupported } from './require-supported-version.ts'

describe('requireSupported', () => {
  test.for([
    ['the least one', 'v1.34.0', '>=1.34.0-0'],
    ['a newer one', 'v1.36.3', '>=1.34.0-0'],
    ['one with a suffix', 'v1.34.2-gke.1000', '>= 1.34.0-0'],
    ['the next major', 'v2.0.0', '>=1.34.0-0'],
  ] as const)('lets %s pass', ([, version, range]) => {
    expect(() => requireSupported(version, range)).not.toThrow()
  })

  test('names the version that is too old, and the least that is not', () => {
    expect(() => requireSupported('v1.33.9', '>=1.34.0-0')).toThrow(
      new CannotRunError(
        'The cluster runs Kubernetes v1.33.9; Berth supports 1.34 and newer. Upgrade the cluster, or test another one.',
      ),
    )
  })

  test.for([
    ['a version', 'devel', '>=1.34.0'],
    ['a range', 'v1.36.3', '^1.34.0'],
  ] as const)('does not pass over %s that it does not understand', ([, version, range]) => {
    expect(() => requireSupported(version, range)).toThrow(/not understood/)
  })
})
