import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { chooseServingMode } from './serving-mode.ts'

const here = fileURLToPath(import.meta.url)
const base = { listen: '127.0.0.1:8888', insecureHttp: false, insecureAnywhere: false, bind: false } as const
const pair = { tlsCertFile: here, tlsPrivateKeyFile: here }

describe('chooseServingMode', () => {
  test.for([
    { it: 'plain HTTP on loopback with --insecure-http', flags: { insecureHttp: true }, kind: 'plain' },
    { it: 'plain HTTP on ::1', flags: { insecureHttp: true, listen: '[::1]:8888' }, kind: 'plain' },
    {
      it: 'plain HTTP anywhere when forced',
      flags: { insecureHttp: true, listen: ':8888', insecureAnywhere: true },
      kind: 'plain',
    },
    { it: 'TLS without client certificates on loopback', flags: pair, kind: 'tls' },
    { it: 'mutual TLS anywhere', flags: { ...pair, clientCaFile: here, listen: '0.0.0.0:8888' }, kind: 'tls' },
  ])('allows $it', ({ flags, kind }) => {
    expect(chooseServingMode({ ...base, ...flags }).kind).toBe(kind)
  })

  test.for([
    { it: 'no flags', flags: {}, says: '--tls-cert-file and --tls-private-key-file are required' },
    { it: 'a certificate without its key', flags: { tlsCertFile: here }, says: 'are required' },
    { it: 'plain HTTP and certificates', flags: { ...pair, insecureHttp: true }, says: 'are mutually exclusive' },
    {
      it: 'plain HTTP on all addresses',
      flags: { insecureHttp: true, listen: ':8888' },
      says: 'plain HTTP on :8888 would allow unauthenticated callers',
    },
    {
      it: 'TLS without client certificates on all addresses',
      flags: { ...pair, listen: '0.0.0.0:8888' },
      says: 'without --client-ca-file, 0.0.0.0:8888 would allow unauthenticated callers',
    },
    {
      it: 'a missing file',
      flags: { ...pair, clientCaFile: '/nowhere/ca.crt' },
      says: 'cannot read /nowhere/ca.crt',
    },
  ])('refuses $it', ({ flags, says }) => {
    expect(() => chooseServingMode({ ...base, ...flags })).toThrow(
      expect.objectContaining({ code: 'BERTH_EXTENDER_CONFIG_TLS', message: expect.stringContaining(says) as string }),
    )
  })

  test('reads the files again each time', () => {
    const servingMode = chooseServingMode({ ...base, ...pair, clientCaFile: here })
    expect(servingMode.kind === 'tls' && servingMode.read().ca).toContain('reads the files again')
  })
})
