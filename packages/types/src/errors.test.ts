import { describe, expect, test } from 'vitest'
import { BerthError } from './errors.ts'

describe('BerthError', () => {
  class RegistrationError extends BerthError {}

  test('keeps code, cause and hint, and is named after its class', () => {
    const cause = new Error('UNAVAILABLE')
    const error = new RegistrationError('register plugin example.com/dongle with kubelet: UNAVAILABLE', {
      code: 'BERTH_KUBELET_REGISTER',
      retryable: true,
      cause,
      hint: 'Look at the kubelet log.',
    })
    expect(error).toMatchObject({ name: 'RegistrationError', code: 'BERTH_KUBELET_REGISTER', retryable: true, cause })
    expect(error.hint).toBe('Look at the kubelet log.')
  })

  test('is final and without cause unless told otherwise', () => {
    const error = new BerthError('read config: no such file', { code: 'BERTH_CONFIG_READ' })
    expect(error.retryable).toBe(false)
    expect('cause' in error).toBe(false)
  })
})
