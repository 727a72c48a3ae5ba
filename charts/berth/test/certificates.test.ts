import { describe, expect, test } from 'vitest'
import { find, podTemplates } from './chart-object.ts'
import { profiles, refusal, render } from './render.ts'

describe('the default', () => {
  test.for(profiles)(
    'with profile %s, the authority issues the certificates, and no key is in the release',
    async (profile) => {
      const objects = await render({ profile })
      const hasExtender = objects.some(
        ({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'berth-extender',
      )
      const issuers = objects.filter(
        ({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'berth-authority',
      )
      expect(issuers).toHaveLength(hasExtender ? 1 : 0)
      expect(objects.filter(({ kind }) => kind === 'Secret')).toEqual([])
      // The second is the start of a PEM text in base64.
      expect(JSON.stringify(objects)).not.toMatch(/-----BEGIN|LS0tLS1CRUdJTi/)
    },
  )

  test('is the same when it is rendered again, so that tools that only render restart nothing', async () => {
    expect(await render({ profile: 'demo' })).toEqual(await render({ profile: 'demo' }))
  })

  test('certificates that are created at the installation, with their keys in the release, are refused', async () => {
    const text = await refusal({ profile: 'extender-only', values: { extender: { tls: { mode: 'chart' } } } })
    expect(text).toContain("at '/extender/tls/mode': value must be one of 'authority', 'cert-manager', 'existing'")
  })
})

describe('certificates from other sources', () => {
  // The lifetime of the authority's certificates, which are renewed after two thirds.
  const lifetime = { duration: '720h', renewBefore: '240h' }

  test('cert-manager issues both from an issuer that the chart creates', async () => {
    const values = { extender: { tls: { mode: 'cert-manager' } } }
    const objects = await render({ profile: 'extender-only', values, flags: ['--api-versions', 'cert-manager.io/v1'] })
    expect(objects.filter(({ kind }) => kind === 'Secret')).toEqual([])
    expect(find(objects, 'Certificate', 'berth-extender-server').spec).toMatchObject({
      secretName: 'berth-extender-server',
      ipAddresses: ['127.0.0.1'],
      usages: ['digital signature', 'server auth'],
      issuerRef: { name: 'berth-extender', kind: 'Issuer' },
      ...lifetime,
    })
    expect(find(objects, 'Certificate', 'berth-extender-client').spec).toMatchObject({
      usages: ['digital signature', 'client auth'],
      ...lifetime,
    })
    expect(find(objects, 'Issuer', 'berth-extender').spec).toEqual({ ca: { secretName: 'berth-extender-ca' } })
    // A CA with cert-manager's default of 90 days would expire while kube-scheduler, which reads it once, still uses it.
    expect(find(objects, 'Certificate', 'berth-extender-ca').spec).toMatchObject({
      isCA: true,
      duration: '87600h',
      privateKey: { rotationPolicy: 'Never' },
    })
  })

  test('with an existing issuer, the chart creates none', async () => {
    const issuerRef = { name: 'ours', kind: 'ClusterIssuer', group: 'cert-manager.io' }
    const values = { extender: { tls: { mode: 'cert-manager', issuerRef } } }
    const objects = await render({ profile: 'extender-only', values, flags: ['--api-versions', 'cert-manager.io/v1'] })
    expect(objects.filter(({ kind }) => kind === 'Issuer')).toEqual([])
    expect(find(objects, 'Certificate', 'berth-extender-client').spec).toMatchObject({ issuerRef, ...lifetime })
  })

  test('existing Secrets are mounted and none are created', async () => {
    const tls = { mode: 'existing', serverSecretName: 'mine-server', clientSecretName: 'mine-client' }
    const objects = await render({ profile: 'extender-only', values: { extender: { tls } } })
    expect(objects.filter(({ kind }) => kind === 'Secret')).toEqual([])
    const [pod] = podTemplates([find(objects, 'Deployment', 'berth-extender')])
    expect(pod?.spec.volumes).toContainEqual({ name: 'server-tls', secret: { secretName: 'mine-server' } })
    expect(pod?.spec.volumes).toContainEqual({ name: 'client-tls', secret: { secretName: 'mine-client' } })
  })
})
