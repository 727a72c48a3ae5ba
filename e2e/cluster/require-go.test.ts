import { describe, expect, test } from 'vitest'
import { CannotRunError } from './cannot-run.ts'
import { requireGoVersion } from './require-go.ts'

const said = (stdout: string, status = 0, stderr = '') => ({ status, stdout, stderr })

describe('requireGoVersion', () => {
  test.for([
    ['the least one', 'go version go1.26.8 linux/amd64\n'],
    ['a newer one, by number and not by letter', 'go version go1.26.10 linux/amd64\n'],
    ['the next minor', 'go version go1.27 darwin/arm64\n'],
    ['one with experiments', 'go version go1.27rc1 X:loopvar linux/amd64\n'],
  ] as const)('lets %s pass', ([, stdout]) => {
    expect(() => requireGoVersion(said(stdout), '1.26.8')).not.toThrow()
  })

  test.for([
    ['an older one', said('go version go1.26.3 linux/amd64\n'), 'that on PATH is Go 1.26.3'],
    ['one without a patch', said('go version go1.26 linux/amd64\n'), 'that on PATH is Go 1.26'],
    ['none', said('', 127, 'start go: spawn go ENOENT'), 'there is none on PATH'],
    ['one that cannot fetch the one it needs', said('', 1, 'go: download go1.26.8: no such host'), 'no such host'],
    ['another program of that name', said('Go Fish 2.0\n'), 'go version says: Go Fish 2.0'],
  ] as const)('says what to install: %s', ([, result, found]) => {
    const check = (): void => requireGoVersion(result, '1.26.8')
    expect(check).toThrow(CannotRunError)
    expect(check).toThrow(/^Go 1\.26\.8 or newer builds .*Install it \(go\.dev\/dl\)/)
    expect(check).toThrow(found)
  })
})
