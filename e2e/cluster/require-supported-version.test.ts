import { describe, expect, test } from 'vitest'
import { CannotRunError } from './cannot-run.ts'
import { requireSupportedVersion } from './require-supported-version.ts'

describe('requireSupportedVersion', () => {
  test.for([
    ['the minimum version', 'v1.34.0', '>=1.34.0-0'],
    ['a newer version', 'v1.36.3', '>=1.34.0-0'],
    ['a version with a suffix', 'v1.34.2-gke.1000', '>= 1.34.0-0'],
    ['the next major version', 'v2.0.0', '>=1.34.0-0'],
  ] as const)('accepts %s', ([, version, range]) => {
    expect(() => requireSupportedVersion(version, range)).not.toThrow()
  })

  test('names the version that is too old and the minimum version', () => {
    expect(() => requireSupportedVersion('v1.33.9', '>=1.34.0-0')).toThrow(
      new CannotRunError(
        'The cluster runs Kubernetes v1.33.9; Berth supports 1.34 and newer. Upgrade the cluster, or test another one.',
      ),
    )
  })

  test.for([
    ['a version', 'devel', '>=1.34.0'],
    ['a range', 'v1.36.3', '^1.34.0'],
  ] as const)('refuses %s that it cannot parse', ([, version, range]) => {
    expect(() => requireSupportedVersion(version, range)).toThrow(/not understood/)
  })
})
