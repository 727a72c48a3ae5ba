import { systemClock } from '@berth/clock'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLogger } from '@berth/types'
import { afterAll, expect, test } from 'vitest'
import { connectCluster, loadKubeconfig, type ClusterAccess } from '../src/index.ts'
import { startTlsServer } from './tls-server.ts'

const dir = mkdtempSync(join(tmpdir(), 'berth-ca-'))
afterAll(() => rmSync(dir, { recursive: true }))

const version = (_: unknown, response: { readonly end: (text: string) => void }): void =>
  response.end('{"gitVersion":"v1"}')
const connect = (access: ClusterAccess) =>
  connectCluster({ access, log: silentLogger, clock: systemClock(), random: Math.random, userAgent: 'test', qps: 0 })

test.for(['service account', 'kubeconfig'] as const)(
  'uses the rotated authority of a %s without a failed call: at once when the old one is refused, else after a minute',
  async (kind) => {
    await using oldServer = await startTlsServer({ protocol: 'h2', answer: version })
    await using newServer = await startTlsServer({ protocol: 'h2', answer: version })
    const oldCa = oldServer.access.ca ?? ''
    const newCa = newServer.access.ca ?? ''
    const ca = join(dir, 'ca.crt')
    writeFileSync(ca, oldCa)
    writeFileSync(join(dir, 'token'), 'secret')
    let nowMs = 0
    const server = new URL(oldServer.access.server)
    const file = join(dir, 'config')
    const user = 'users: [{ name: u, user: { token: secret } }]'
    writeFileSync(
      file,
      `current-context: m\ncontexts: [{ name: m, context: { cluster: c, user: u } }]\n${user}\nclusters: [{ name: c, cluster: { server: "${server.origin}", certificate-authority: ca.crt } }]`,
    )
    const loaded = loadKubeconfig({
      home: '/nowhere',
      now: () => nowMs,
      ...(kind === 'kubeconfig'
        ? { path: file, env: {} }
        : {
            serviceAccountDir: dir,
            env: { KUBERNETES_SERVICE_HOST: server.hostname, KUBERNETES_SERVICE_PORT: server.port },
          }),
    })
    // The address of the server now leads to one with a certificate of the new authority.
    let address = oldServer.access.server
    const access: ClusterAccess = Object.defineProperty({ ...loaded }, 'server', { get: () => address })
    await using cluster = connect(access)
    await cluster.serverVersion()
    expect(oldServer.connections()).toBe(1)

    writeFileSync(ca, newCa)
    for (const socket of oldServer.sockets) socket.destroy()
    address = newServer.access.server
    expect(await cluster.serverVersion()).toEqual({ gitVersion: 'v1' })

    // A healthy connection that was opened with the old authority is replaced once the new one is known; calls succeed.
    writeFileSync(ca, `${newCa}\n${oldCa}`)
    const before = newServer.connections()
    nowMs += 59_000
    await cluster.serverVersion()
    expect(newServer.connections()).toBe(before)
    nowMs += 61_000
    const calls = Array.from({ length: 10 }, () => cluster.serverVersion())
    expect(await Promise.all(calls)).toHaveLength(10)
    expect(newServer.connections()).toBe(before + 1)

    // While the volume is swapped there is no file; the old authority stays.
    rmSync(ca)
    nowMs += 61_000
    await cluster.serverVersion()
    writeFileSync(ca, '')
    nowMs += 61_000
    await cluster.serverVersion()
    expect(newServer.connections()).toBe(before + 1)

    // A wrong authority is reported in one line.
    writeFileSync(ca, oldCa)
    for (const socket of newServer.sockets) socket.destroy()
    nowMs += 61_000
    await expect(cluster.serverVersion()).rejects.toMatchObject({ code: 'BERTH_API_UNTRUSTED', retryable: false })
  },
)
