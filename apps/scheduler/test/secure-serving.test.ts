import { fakeClock } from '@berth/clock/testing'
import type { ResourceRef } from '@berth/k8s-client'
import { startHealthServer } from '@berth/process/health'
import { type KubernetesObject, silentLogger } from '@berth/types'
import { Agent, request } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { generate } from 'selfsigned'
import { expect, test } from 'vitest'
import { createDelegatedAccess } from '../src/serving/delegated-access.ts'
import { readTls } from '../src/serving/keep-tls-current.ts'
import { createCertificate } from '../src/serving/serving-certificate.ts'

interface Pem {
  readonly cert: string
  readonly key: string
}

const shared = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256' } as const

async function createAuthority(name: string): Promise<Pem> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: name }], {
    ...shared,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  })
  return { cert, key }
}

async function createClient(ca: Pem, commonName: string, organization = 'team'): Promise<Pem> {
  const subject = [
    { name: 'commonName', value: commonName },
    { name: 'organizationName', value: organization },
  ]
  const { cert, private: key } = await generate(subject, {
    ...shared,
    ca,
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'extKeyUsage', clientAuth: true },
    ],
  })
  return { cert, key }
}

interface Answer {
  readonly status: number | undefined
  /** Fingerprint of the certificate of the server. */
  readonly certificate: string
  readonly port: number | undefined
}

/** Gets /metrics. */
function get(
  address: string,
  { agent, headers = {}, ...pem }: Partial<Pem> & { readonly agent?: Agent; readonly headers?: Record<string, string> },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      `https://${address}/metrics`,
      { rejectUnauthorized: false, headers, ...pem, agent: agent ?? new Agent({ keepAlive: false }) },
      (response) => {
        const socket = response.socket as TLSSocket
        const certificate = socket.getPeerCertificate().fingerprint256
        const port = socket.localPort
        response.resume().once('end', () => resolve({ status: response.statusCode, certificate, port }))
      },
    )
    sent.once('error', reject).end()
  })
}

/** Starts a server that the user `monitor` may read, with authorities and a serving certificate that a test can change. */
async function start() {
  const clock = fakeClock()
  const authorities = { client: await createAuthority('clients'), proxy: await createAuthority('proxies') }
  const config = { isReadable: true, clientCa: authorities.client.cert }
  const asked: object[] = []
  const get = async <T = KubernetesObject>(): Promise<T> => {
    if (!config.isReadable) throw new Error('forbidden')
    const data = {
      'client-ca-file': config.clientCa,
      'requestheader-client-ca-file': authorities.proxy.cert,
      'requestheader-allowed-names': '["front-proxy"]',
      'requestheader-username-headers': '["X-Remote-User"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
    }
    return { metadata: {}, data } as unknown as T
  }
  const create = async <T extends KubernetesObject>(_ref: ResourceRef, object: T): Promise<T> => {
    const { spec } = object as T & { readonly spec: { readonly user?: string } }
    asked.push(spec)
    return { ...object, status: { allowed: spec.user === 'monitor' } }
  }
  const serving = { current: await createCertificate(Date.now()) }
  const world = { clock, log: silentLogger }
  const current = await readTls({
    client: { get },
    readCertificate: () => serving.current,
    random: () => 0.5,
    ...world,
  })
  const server = await startHealthServer({
    address: '127.0.0.1:0',
    checks: [],
    registry: { contentType: 'text/plain', metrics: () => Promise.resolve('') },
    tls: current.tls(),
    authorize: createDelegatedAccess({
      authentication: { create },
      authorization: { create },
      authorities: current.authorities,
      ...world,
    }),
    log: silentLogger,
  })
  const stop = new AbortController()
  void current.watch((tls) => server.setTls(tls), stop.signal)
  return {
    server,
    authorities,
    config,
    serving,
    clock,
    asked,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await server[Symbol.asyncDispose]()
    },
  }
}

test('a client certificate names the user and its groups, and a certificate of another authority names no user', async () => {
  await using secure = await start()
  const { server, authorities, asked } = secure
  expect(await get(server.address, await createClient(authorities.client, 'monitor'))).toMatchObject({ status: 200 })
  expect(asked).toMatchObject([{ user: 'monitor', groups: ['team', 'system:authenticated'] }])
  const stranger = await createClient(await createAuthority('clients'), 'monitor')
  expect(await get(server.address, stranger)).toMatchObject({ status: 403 })
  expect(await get(server.address, {})).toMatchObject({ status: 403 })
  expect(asked.slice(1)).toMatchObject([{ user: 'system:anonymous' }])
  const admin = await createClient(authorities.client, 'admin', 'system:masters')
  expect(await get(server.address, admin)).toMatchObject({ status: 200 })
})

test('a front proxy names the user in headers, and no other certificate can', async () => {
  await using secure = await start()
  const { server, authorities, asked } = secure
  const headers = { 'X-Remote-User': 'monitor', 'X-Remote-Group': 'auditors', 'X-Remote-Extra-Scopes': 'read' }
  const proxy = await createClient(authorities.proxy, 'front-proxy')
  expect(await get(server.address, { ...proxy, headers })).toMatchObject({ status: 200 })
  expect(asked).toMatchObject([
    { user: 'monitor', groups: ['auditors', 'system:authenticated'], extra: { scopes: ['read'] } },
  ])
  for (const pem of [
    await createClient(authorities.proxy, 'other-proxy'),
    await createClient(authorities.client, 'front-proxy'),
    {},
  ]) {
    expect(await get(server.address, { ...pem, headers })).toMatchObject({ status: 403 })
  }
})

test('certificates that a caller sends along do not make it a front proxy', async () => {
  await using secure = await start()
  const { server, authorities, asked } = secure
  const headers = { 'X-Remote-User': 'monitor' }
  // The caller's own key, under the name of the authority of clients, issued by the authority of proxies by name only.
  const forged = await generate([{ name: 'commonName', value: 'clients' }], {
    ...shared,
    ca: { cert: authorities.proxy.cert, key: (await createAuthority('proxies')).key },
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  })
  const caller = await createClient(authorities.client, 'front-proxy')
  const chain = [caller.cert, forged.cert, authorities.proxy.cert].map((pem) => pem.trim()).join('\n')
  expect(await get(server.address, { cert: chain, key: caller.key, headers })).toMatchObject({ status: 403 })
  expect(asked).not.toContainEqual(expect.objectContaining({ user: 'monitor' }))
})

test('the last common name of a certificate names the user, as in kube-scheduler', async () => {
  await using secure = await start()
  const { server, authorities, asked } = secure
  const subject = ['monitor', 'other'].map((value) => ({ name: 'commonName', value }))
  const { cert, private: key } = await generate(subject, {
    ...shared,
    ca: authorities.client,
    extensions: [{ name: 'extKeyUsage', clientAuth: true }],
  })
  expect(await get(server.address, { cert, key })).toMatchObject({ status: 403 })
  expect(asked).toMatchObject([{ user: 'other' }])
})

test('an expired certificate names no user', async () => {
  await using secure = await start()
  const { server, authorities, asked } = secure
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'monitor' }], {
    ...shared,
    ca: authorities.client,
    notBeforeDate: new Date(Date.now() - 7_200_000),
    notAfterDate: new Date(Date.now() - 3_600_000),
    extensions: [{ name: 'extKeyUsage', clientAuth: true }],
  })
  expect(await get(server.address, { cert, key })).toMatchObject({ status: 403 })
  expect(asked).toMatchObject([{ user: 'system:anonymous' }])
})

test('a rotated serving certificate is used for new connections, and existing ones go on', async () => {
  await using secure = await start()
  const { server, serving, clock } = secure
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const before = await get(server.address, { agent })
  serving.current = await createCertificate(Date.now())
  await clock.advance(70_000)
  expect(await get(server.address, { agent })).toEqual(before)
  const after = await get(server.address, {})
  expect(after.certificate).not.toBe(before.certificate)
  agent.destroy()
})

test('a rotated authority is used within a minute, and the previous one while it cannot be read', async () => {
  await using secure = await start()
  const { server, authorities, config, clock } = secure
  const known = await createClient(authorities.client, 'monitor')
  config.isReadable = false
  await clock.advance(70_000)
  expect(await get(server.address, known)).toMatchObject({ status: 200 })
  const next = await createAuthority('clients 2')
  Object.assign(config, { isReadable: true, clientCa: next.cert })
  await clock.advance(70_000)
  expect(await get(server.address, await createClient(next, 'monitor'))).toMatchObject({ status: 200 })
  expect(await get(server.address, known)).toMatchObject({ status: 403 })
})
