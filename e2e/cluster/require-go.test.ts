import { describe, expect, test } from 'vitest'
import { CannotRunError } from './cannot-run.ts'
import { requireGoVersion } from './require-go.ts'

const result = (stdout: string, status = 0, stderr = '') => ({ status, stdout, stderr })

describe('requireGoVersion', () => {
  test.for([
    ['the minimum version', 'go version go1.26.8 linux/amd64\n'],
    ['a newer patch version, compared as a number', 'go version go1.26.10 linux/amd64\n'],
    ['the next minor version', 'go version go1.27 darwin/arm64\n'],
    ['a version with experiments', 'go version go1.27rc1 X:loopvar linux/amd64\n'],
  ] as const)('accepts %s', ([, stdout]) => {
    expect(() => requireGoVersion(result(stdout), '1.26.8')).not.toThrow()
  })

  test.for([
    ['an older version', result('go version go1.26.3 linux/amd64\n'), 'that on PATH is Go 1.26.3'],
    ['a version without a patch number', result('go version go1.26 linux/amd64\n'), 'that on PATH is Go 1.26'],
    ['a missing Go', result('', 127, 'start go: spawn go ENOENT'), 'there is no Go on PATH'],
    [
      'a Go that cannot download the required toolchain',
      result('', 1, 'go: download go1.26.8: no such host'),
      'no such host',
    ],
    ['another program of that name', result('Go Fish 2.0\n'), 'go version says: Go Fish 2.0'],
  ] as const)('says what to install for %s', ([, goVersion, found]) => {
    const check = (): void => requireGoVersion(goVersion, '1.26.8')
    expect(check).toThrow(CannotRunError)
    expect(check).toThrow(/^Go 1\.26\.8 or newer builds .*Install it \(go\.dev\/dl\)/)
    expect(check).toThrow(found)
  })
})
