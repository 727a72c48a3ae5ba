import { X509Certificate } from 'node:crypto'
import { handshake } from '@berth/testing'
import { beforeAll, describe, expect, test } from 'vitest'
import { find, podTemplates, type ChartObject } from './chart-object.ts'
import { render } from './render.ts'

interface Material {
  readonly ca: string
  readonly cert: string
  readonly key: string
}

function material(objects: readonly ChartObject[], name: string): Material {
  const data = find(objects, 'Secret', name).data ?? {}
  const text = (key: string): string => Buffer.from(data[key] ?? '', 'base64').toString()
  return { ca: text('ca.crt'), cert: text('tls.crt'), key: text('tls.key') }
}

describe('certificates created by the chart', () => {
  let server: Material = { ca: '', cert: '', key: '' }
  let client: Material = server
  beforeAll(async () => {
    const objects = await render({ profile: 'extender-only' })
    server = material(objects, 'berth-extender-server')
    client = material(objects, 'berth-extender-client')
  })

  test('let server and client authenticate each other and reject other certificates', async () => {
    expect(await handshake(server, client)).toBe('welcome')
    expect(await handshake(server, { ca: client.ca })).not.toBe('welcome')
    const other = material(await render({ profile: 'extender-only' }), 'berth-extender-client')
    expect(await handshake(server, { ...other, ca: client.ca })).not.toBe('welcome')
    expect(await handshake(server, other)).not.toBe('welcome')
  })

  test('serve one side only: that of the server proves nothing as a client, and that of the client nothing as a server', async () => {
    const { cert, key } = server
    expect(await handshake(server, { cert, key, ca: client.ca })).not.toBe('welcome')
    expect(await handshake({ ...client, ca: server.ca }, client)).not.toBe('welcome')
    expect(new X509Certificate(server.cert).verify(new X509Certificate(server.ca).publicKey)).toBe(false)
    expect(new X509Certificate(client.cert).verify(new X509Certificate(client.ca).publicKey)).toBe(false)
  })

  test('are valid for 127.0.0.1, the Service, and the configured number of days', async () => {
    const certificate = new X509Certificate(server.cert)
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1')
    expect(certificate.checkHost('berth-extender.berth-system.svc')).toBeDefined()
    expect(certificate.verify(new X509Certificate(client.ca).publicKey)).toBe(true)
    const objects = await render({ profile: 'extender-only', values: { extender: { tls: { validityDays: 30 } } } })
    const short = new X509Certificate(material(objects, 'berth-extender-client').cert)
    const days = (Date.parse(short.validTo) - Date.parse(short.validFrom)) / 86_400_000
    expect(Math.round(days)).toBe(30)
  })

  test('do not include the keys of their CAs', async () => {
    const objects = await render({ profile: 'extender-only' })
    const text = objects
      .flatMap(({ data = {} }) => Object.values(data))
      .map((value) => Buffer.from(value, 'base64').toString())
    const keys = text.filter((value) => value.includes('PRIVATE KEY'))
    expect(keys).toHaveLength(2)
  })
})

describe('certificates from other sources', () => {
  test('cert-manager issues both from an issuer that the chart creates', async () => {
    const values = { extender: { tls: { mode: 'cert-manager' } } }
    const objects = await render({ profile: 'extender-only', values, flags: ['--api-versions', 'cert-manager.io/v1'] })
    expect(objects.filter(({ kind }) => kind === 'Secret')).toEqual([])
    expect(find(objects, 'Certificate', 'berth-extender-server').spec).toMatchObject({
      secretName: 'berth-extender-server',
      ipAddresses: ['127.0.0.1'],
      usages: ['digital signature', 'server auth'],
      issuerRef: { name: 'berth-extender', kind: 'Issuer' },
    })
    expect(find(objects, 'Certificate', 'berth-extender-client').spec).toMatchObject({
      usages: ['digital signature', 'client auth'],
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
    expect(find(objects, 'Certificate', 'berth-extender-client').spec).toMatchObject({ issuerRef })
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
