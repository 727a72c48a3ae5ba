import { BerthError } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { failureText } from './failure-text.ts'

describe('failureText', () => {
  const error = new BerthError('read kubeconfig /k: no such file', {
    code: 'BERTH_KUBECONFIG_READ',
    hint: 'Set --kubeconfig.',
    cause: new Error('ENOENT'),
  })

  test('is one line with message, hint and code', () => {
    expect(failureText(error, false)).toBe(
      'read kubeconfig /k: no such file. Set --kubeconfig. (BERTH_KUBECONFIG_READ)\n',
    )
  })

  test('prints no control or bidi character', () => {
    const hostile = new BerthError('pod a\u001B[2K\u202Eb', { code: 'BERTH_X', hint: 'Look\u009B8m.' })
    expect(failureText(hostile, false)).toBe('pod ab. Look. (BERTH_X)\n')
  })

  test('lays out the line, and leaves a stack as it is', () => {
    const upper = (line: string): string => line.toUpperCase()
    expect(failureText(error, false, upper)).toBe(
      'READ KUBECONFIG /K: NO SUCH FILE. SET --KUBECONFIG. (BERTH_KUBECONFIG_READ)\n',
    )
    expect(failureText(error, true, upper)).toContain('caused by Error: ENOENT')
    expect(failureText(new TypeError('x'), false, upper)).toContain('TypeError: x')
  })

  test('has stack and causes when it is verbose', () => {
    const text = failureText(error, true)
    expect(text).toMatch(/^\s+at /m)
    expect(text).toContain('caused by Error: ENOENT')
  })

  test('shows a defect with its stack', () => {
    expect(failureText(new TypeError('x'), false)).toMatch(/unexpected failure, please report it: TypeError: x\n\s+at /)
    expect(failureText('text', false)).toContain('please report it: text')
  })
})
