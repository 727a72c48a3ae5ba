import { describe, expect, test } from 'vitest'
import { TransportError } from '../errors/transport-error.ts'
import { toTransportError } from './to-transport-error.ts'

const request = { method: 'GET', path: '/api/v1/pods?watch=1' } as const
const server = 'https://10.0.0.1:6443'
const coded = (code: string, message = code): Error => Object.assign(new Error(message), { code })

describe('transportFailure', () => {
  test.for([
    { it: 'refused', error: coded('ECONNREFUSED'), isSent: true, code: 'BERTH_API_UNREACHABLE', delivered: 'no' },
    {
      it: 'refused on both address families',
      error: new AggregateError([coded('ECONNREFUSED', 'connect ECONNREFUSED ::1:1')]),
      isSent: true,
      code: 'BERTH_API_UNREACHABLE',
      delivered: 'no',
    },
    { it: 'unknown host', error: coded('ENOTFOUND'), isSent: false, code: 'BERTH_API_UNREACHABLE', delivered: 'no' },
    {
      it: 'reset before anything was sent',
      error: coded('ECONNRESET'),
      isSent: false,
      code: 'BERTH_API_UNREACHABLE',
      delivered: 'no',
    },
    {
      it: 'reset after the request was sent',
      error: coded('ECONNRESET'),
      isSent: true,
      code: 'BERTH_API_BROKEN',
      delivered: 'unknown',
    },
    ...['EHOSTUNREACH', 'ENETUNREACH'].flatMap((lost) => [
      {
        it: `${lost} while connecting`,
        error: coded(lost),
        isSent: false,
        code: 'BERTH_API_UNREACHABLE',
        delivered: 'no',
      },
      {
        it: `${lost} under a connection that has carried the request`,
        error: coded(lost),
        isSent: true,
        code: 'BERTH_API_BROKEN',
        delivered: 'unknown',
      },
    ]),
    {
      it: 'self-signed',
      error: coded('DEPTH_ZERO_SELF_SIGNED_CERT'),
      isSent: false,
      code: 'BERTH_API_UNTRUSTED',
      delivered: 'no',
    },
    {
      it: 'wrong name',
      error: coded('ERR_TLS_CERT_ALTNAME_INVALID'),
      isSent: false,
      code: 'BERTH_API_UNTRUSTED',
      delivered: 'no',
    },
    { it: 'expired', error: coded('CERT_HAS_EXPIRED'), isSent: false, code: 'BERTH_API_UNTRUSTED', delivered: 'no' },
    { it: 'anything else', error: 'odd', isSent: true, code: 'BERTH_API_BROKEN', delivered: 'unknown' },
  ])('$it: $code', ({ error, isSent, code, delivered }) => {
    const failure = toTransportError(error, { server, request, isSent })
    expect(failure).toMatchObject({ code, delivered })
    expect(failure.message).toMatch(/^GET https:\/\/10\.0\.0\.1:6443\/api\/v1\/pods: ./)
  })

  test("leaves out Node's advice about its own flags", () => {
    const error = Object.assign(
      new Error(
        'unable to verify the first certificate; if the root CA is installed locally, try running Node.js with --use-system-ca',
      ),
      { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' },
    )
    expect(toTransportError(error, { server, request, isSent: false }).message).toBe(
      'GET https://10.0.0.1:6443/api/v1/pods: unable to verify the first certificate',
    )
  })

  test('returns the reason of an abort, and a TransportError, unchanged', () => {
    const reason = new Error('stopped')
    const aborted = { server, request: { ...request, signal: AbortSignal.abort(reason) }, isSent: true }
    expect(toTransportError(new Error('aborted'), aborted)).toBe(reason)
    const known = new TransportError('known', { code: 'BERTH_API_CLOSED', delivered: 'no' })
    expect(toTransportError(known, { server, request, isSent: true })).toBe(known)
  })
})
