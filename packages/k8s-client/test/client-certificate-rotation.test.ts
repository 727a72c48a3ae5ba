import { systemClock } from '@berth/clock'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { silentLogger } from '@berth/types'
import { generate } from 'selfsigned'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectCluster, loadKubeconfig, type ClusterAccess } from '../src/index.ts'
import { startTlsServer, type TlsServer } from './tls-server.ts'

const dir = mkdtempSync(join(tmpdir(), 'berth-client-cert-'))
afterAll(() => rmSync(dir, { recursive: true }))

interface Pair {
  readonly name: string
  readonly cert: string
  readonly key: string
}

/** Creates a self-signed client certificate, which is its own authority. */
async function clientPair(name: string): Promise<Pair> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    extensions: [{ name: 'basicConstraints', cA: true }],
  })
  return { name, cert, key }
}

let before: Pair
let after: Pair
beforeAll(async () => {
  before = await clientPair('before')
  after = await clientPair('after')
})

const [certFile, keyFile] = [join(dir, 'client.crt'), join(dir, 'client.key')]

function write({ cert, key }: Pair): void {
  writeFileSync(certFile, cert)
  writeFileSync(keyFile, key)
}

const inline = (text: string): string => Buffer.from(text).toString('base64')

/** Loads a kubeconfig whose user has this entry. */
function load(server: TlsServer, user: string, now: () => number = () => 0): ClusterAccess {
  const file = join(dir, 'config')
  const cluster = `{ server: "${server.access.server}", certificate-authority-data: ${inline(server.access.ca ?? '')} }`
  writeFileSync(
    file,
    `current-context: m\ncontexts: [{ name: m, context: { cluster: c, user: u } }]\nusers: [{ name: u, user: ${user} }]\nclusters: [{ name: c, cluster: ${cluster} }]`,
  )
  return loadKubeconfig({ path: file, env: {}, home: dir, now })
}

const connect = (access: ClusterAccess) =>
  connectCluster({ access, log: silentLogger, clock: systemClock(), random: Math.random, userAgent: 'test', qps: 0 })

const fromFiles = '{ client-certificate: client.crt, client-key: client.key }'

/** Starts a server that answers each request with the name in the client's certificate. */
const startNamingServer = (protocol: 'h2' | 'http/1.1', clientAuthority: string): Promise<TlsServer> =>
  startTlsServer({
    protocol,
    clientAuthority,
    answer: (request, response) => {
      const { CN } = (request.socket as TLSSocket).getPeerCertificate().subject
      response.end(JSON.stringify({ gitVersion: CN }))
    },
  })

test.for(['h2', 'http/1.1'] as const)(
  'uses the rotated certificate without a restart and without a failed call, once the server refuses the old one (%s)',
  async (protocol) => {
    await using server = await startNamingServer(protocol, before.cert)
    write(before)
    await using cluster = connect(load(server, fromFiles))
    expect(await cluster.serverVersion()).toEqual({ gitVersion: 'before' })

    write(after)
    server.acceptClientsOf(after.cert)
    for (const socket of server.sockets) socket.destroy()
    expect(await cluster.serverVersion()).toEqual({ gitVersion: 'after' })
  },
)

test('replaces a healthy connection when the files are a minute old, and never uses a half-written pair', async () => {
  await using server = await startNamingServer('h2', `${before.cert}\n${after.cert}`)
  write(before)
  let nowMs = 0
  await using cluster = connect(load(server, fromFiles, () => nowMs))
  const name = async (): Promise<string> => (await cluster.serverVersion()).gitVersion
  expect(await name()).toBe('before')

  // The certificate is written before its key.
  writeFileSync(certFile, after.cert)
  nowMs += 61_000
  expect(await name()).toBe('before')
  // A new connection reads the files at once.
  for (const socket of server.sockets) socket.destroy()
  expect(await name()).toBe('before')
  rmSync(certFile)
  nowMs += 61_000
  expect(await name()).toBe('before')
  expect(server.connections()).toBe(2)

  write(after)
  nowMs += 59_000
  expect(await name()).toBe('before')
  nowMs += 2_000
  expect(await Promise.all(Array.from({ length: 10 }, name))).toEqual(Array.from({ length: 10 }, () => 'after'))
  expect(server.connections()).toBe(3)
})

test('reloads the certificate after a 401, which is how an API server refuses an expired one', async () => {
  const expired = new Set<string>()
  await using server = await startTlsServer({
    protocol: 'h2',
    clientAuthority: `${before.cert}\n${after.cert}`,
    answer: (request, response) => {
      const { CN = '' } = (request.socket as TLSSocket).getPeerCertificate().subject as { readonly CN?: string }
      response.statusCode = expired.has(CN) ? 401 : 200
      response.end(JSON.stringify({ gitVersion: CN }))
    },
  })
  write(before)
  await using cluster = connect(load(server, fromFiles))
  await cluster.serverVersion()
  write(after)
  expired.add('before')
  expect(await cluster.serverVersion()).toEqual({ gitVersion: 'after' })
})

test('keeps the certificate of data inside the kubeconfig until the process restarts, as client-go does', async () => {
  await using server = await startNamingServer('h2', `${before.cert}\n${after.cert}`)
  const entry = ({ cert, key }: Pair): string =>
    `{ client-certificate-data: ${inline(cert)}, client-key-data: ${inline(key)} }`
  let nowMs = 0
  await using cluster = connect(load(server, entry(before), () => nowMs))
  expect(await cluster.serverVersion()).toEqual({ gitVersion: 'before' })
  await using restarted = connect(load(server, entry(after)))
  nowMs += 61_000
  for (const socket of server.sockets) socket.destroy()
  expect(await cluster.serverVersion()).toEqual({ gitVersion: 'before' })
  expect(await restarted.serverVersion()).toEqual({ gitVersion: 'after' })
})

test('sends the token of a rotated file together with the client certificate', async () => {
  const seen: unknown[] = []
  await using server = await startTlsServer({
    protocol: 'h2',
    clientAuthority: before.cert,
    answer: (request, response) => {
      const { CN } = (request.socket as TLSSocket).getPeerCertificate().subject
      seen.push([CN, request.headers.authorization])
      response.end('{"gitVersion":"v1"}')
    },
  })
  write(before)
  const user = '{ client-certificate: client.crt, client-key: client.key, token: fallback, tokenFile: token }'
  let nowMs = 0
  await using cluster = connect(load(server, user, () => nowMs))
  await cluster.serverVersion()
  writeFileSync(join(dir, 'token'), 'one')
  await cluster.serverVersion()
  writeFileSync(join(dir, 'token'), 'two')
  nowMs += 61_000
  await cluster.serverVersion()
  expect(seen).toEqual(['fallback', 'one', 'two'].map((token) => ['before', `Bearer ${token}`]))
})
