import { describe, expect, test } from 'vitest'
import { compareVersions } from './compare-versions.ts'

describe('compareVersions', () => {
  test.for([
    ['9', '10', 'older'],
    ['10', '9', 'newer'],
    ['10', '10', 'equal'],
    ['9007199254740993', '9007199254740992', 'newer'],
    ['', '10', 'unknown'],
    ['010', '10', 'unknown'],
    ['abc', 'abd', 'unknown'],
  ] as const)('%s against %s is %s', ([a, b, order]) => {
    expect(compareVersions(a, b)).toBe(order)
  })
})
