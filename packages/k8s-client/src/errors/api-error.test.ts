import { describe, expect, test } from 'vitest'
import { ApiError, isApiStatus } from './api-error.ts'

describe('ApiError', () => {
  test.for([
    [400, 'BadRequest', 'BERTH_API_INVALID', false],
    [401, 'Unauthorized', 'BERTH_API_UNAUTHORIZED', false],
    [403, 'Forbidden', 'BERTH_API_FORBIDDEN', false],
    [404, 'NotFound', 'BERTH_API_NOT_FOUND', false],
    [409, 'Conflict', 'BERTH_API_CONFLICT', false],
    [409, 'AlreadyExists', 'BERTH_API_ALREADY_EXISTS', false],
    [410, 'Expired', 'BERTH_API_EXPIRED', false],
    [418, '', 'BERTH_API_UNEXPECTED', false],
    [422, 'Invalid', 'BERTH_API_INVALID', false],
    [429, 'TooManyRequests', 'BERTH_API_THROTTLED', true],
    [503, 'ServiceUnavailable', 'BERTH_API_UNAVAILABLE', true],
  ] as const)('%d %s is %s', ([status, reason, code, retryable]) => {
    const error = new ApiError({ verb: 'get', resource: 'pods', object: 'a/b' }, status, { reason, message: 'because' })
    expect(error).toMatchObject({ status, reason, code, retryable, message: `get pods a/b: because (${status})` })
    expect(isApiStatus(error, status)).toBe(true)
  })

  test('a 403 names the missing verb and resource', () => {
    const error = new ApiError({ verb: 'create', resource: 'pods/binding', group: '' }, 403, { message: 'no' })
    expect(error.hint).toBe('Grant the verb "create" on the resource "pods/binding" (API group "") to this identity.')
    const leases = new ApiError({ verb: 'update', resource: 'leases', group: 'coordination.k8s.io' }, 403, {})
    expect(leases.hint).toContain('"leases" (API group coordination.k8s.io)')
  })

  test('takes the retry delay from the header, else from the Status', () => {
    const details = { retryAfterSeconds: 3, causes: [{ reason: 'x', field: 'spec' }] }
    const subject = { verb: 'list', resource: 'pods' }
    expect(new ApiError(subject, 429, { details }).retryAfterMs).toBe(3_000)
    expect(new ApiError(subject, 429, { details }, 7_000)).toMatchObject({
      retryAfterMs: 7_000,
      causes: details.causes,
    })
    expect(new ApiError(subject, 429, {}).message).toBe('list pods: HTTP 429 (429)')
  })
})
