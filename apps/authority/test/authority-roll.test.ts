import { X509Certificate } from 'node:crypto'
import { pemBlocks, pemCertificates } from '@berth/process/certificates'
import { describe, expect, test } from 'vitest'
import { createAuthority, issueLeaf } from '../src/certificates/issue-certificate.ts'
import { startAuthorityCluster, type AuthorityCluster, type TestReplica } from './authority-cluster.ts'

type Data = Readonly<Record<string, string>>
const DAY_MS = 86_400_000
const [CA, SERVER, CLIENT] = ['berth-authority-ca', 'berth-authority-server', 'berth-authority-client'] as const

const data = async (cluster: AuthorityCluster, name: string): Promise<Data> => (await cluster.data(name)) ?? {}
const bundleSize = async (cluster: AuthorityCluster, name: string): Promise<number> =>
  pemBlocks((await data(cluster, name))['ca.crt'] ?? '').length
const expiryMs = ({ 'tls.crt': cert = '' }: Data): number => new X509Certificate(cert).validToDate.getTime()

/** Whether a side that read its authorities when `verifier` was stored accepts the certificate in `one`. */
const accepts = (verifier: Data, one: Data): boolean =>
  pemCertificates(verifier['ca.crt'] ?? '').some(({ publicKey }) =>
    new X509Certificate(one['tls.crt'] ?? '').verify(publicKey),
  )

/** Lets days pass, with a rotation on every second one, and checks that the two sides accept each other throughout. */
async function live(
  cluster: AuthorityCluster,
  replica: TestReplica,
  options: { readonly days: number; readonly restartEveryDays?: number },
): Promise<void> {
  // kube-scheduler reads its authorities only when it starts.
  let started = await data(cluster, CLIENT)
  for (let day = 2; day <= options.days; day += 2) {
    await cluster.clock.advance(2 * DAY_MS)
    await replica.rotate()
    const [server, client] = [await data(cluster, SERVER), await data(cluster, CLIENT)]
    if (options.restartEveryDays !== undefined && day % options.restartEveryDays === 0) started = client
    const now = cluster.clock.now()
    expect([day, accepts(started, server), accepts(server, client)]).toEqual([day, true, true])
    expect(Math.min(expiryMs(server), expiryMs(client))).toBeGreaterThan(now + 9 * DAY_MS)
  }
}

describe('the roll to the next authority', () => {
  test('publishes it before its first use, waits for every kube-scheduler, and forgets the old one in the end', async () => {
    const cluster = await startAuthorityCluster()
    const replica = cluster.replica()
    await replica.rotate()
    const first = await data(cluster, CA)
    await live(cluster, replica, { days: 242 })
    expect(await bundleSize(cluster, SERVER)).toBe(1)
    cluster.setOutdatedSchedulers(1)
    await live(cluster, replica, { days: 40 })
    expect([await bundleSize(cluster, SERVER), await bundleSize(cluster, CLIENT)]).toEqual([2, 2])
    expect((await data(cluster, CA))['current.crt']).toBe(first['current.crt'])
    const rotation = await replica.rotate()
    expect(rotation).toMatchObject({ outdatedSchedulers: 1, written: [], nextAuthority: {} })

    const [oldServer, oldClient] = [await data(cluster, SERVER), await data(cluster, CLIENT)]
    cluster.setOutdatedSchedulers(0)
    expect((await replica.rotate()).written).toEqual([CA, SERVER, CLIENT])
    const second = await data(cluster, CA)
    expect(second['current.crt']).not.toBe(first['current.crt'])
    const [server, client] = [await data(cluster, SERVER), await data(cluster, CLIENT)]
    // Files of the two sides change at different times, so each new certificate meets the old files of the other side.
    expect([accepts(oldClient, server), accepts(oldServer, client)]).toEqual([true, true])
    expect([accepts(client, oldServer), accepts(server, oldClient)]).toEqual([true, true])
    await cluster.clock.advance(31 * DAY_MS)
    await replica.rotate()
    expect([await bundleSize(cluster, SERVER), await bundleSize(cluster, CLIENT)]).toEqual([1, 1])
  }, 60_000)

  test('over two years, a kube-scheduler that is restarted every ten days is always accepted and accepts', async () => {
    const cluster = await startAuthorityCluster()
    const replica = cluster.replica()
    await replica.rotate()
    await live(cluster, replica, { days: 2 * 365, restartEveryDays: 10 })
    expect(await data(cluster, CA)).toHaveProperty('current.promoted')
  }, 120_000)

  test('a kube-scheduler that is never restarted delays it until five sixths of the lifetime, not until the expiry', async () => {
    const cluster = await startAuthorityCluster()
    const replica = cluster.replica()
    await replica.rotate()
    const first = await data(cluster, CA)
    await cluster.clock.advance(244 * DAY_MS)
    await replica.rotate()
    cluster.setOutdatedSchedulers(1)
    await cluster.clock.advance(58 * DAY_MS)
    await replica.rotate()
    expect((await data(cluster, CA))['current.crt']).toBe(first['current.crt'])
    await cluster.clock.advance(4 * DAY_MS)
    await replica.rotate()
    expect((await data(cluster, CA))['current.crt']).not.toBe(first['current.crt'])
  })

  test('goes on after a process that ended between any two writes', async () => {
    let interrupted = 0
    for (let lastWrite = 0; lastWrite < 8; lastWrite += 1) {
      const cluster = await startAuthorityCluster()
      await cluster.replica().rotate()
      const started = await data(cluster, CLIENT)
      await cluster.clock.advance(244 * DAY_MS)
      let writes = 0
      cluster.intercept(async ({ method }) => {
        if (method === 'GET') return
        writes += 1
        if (writes > lastWrite) throw new Error('the process ended')
      })
      const roll = async (): Promise<void> => {
        const replica = cluster.replica()
        await replica.rotate()
        await cluster.clock.advance(15 * DAY_MS)
        await replica.rotate()
      }
      const isInterrupted = await roll().then(
        () => false,
        () => true,
      )
      if (isInterrupted) interrupted += 1
      cluster.intercept(() => undefined)
      const [server, client] = [await data(cluster, SERVER), await data(cluster, CLIENT)]
      // Only after the promotion may the server have a certificate that a kube-scheduler from before the roll refuses.
      const isPromoted = 'current.promoted' in (await data(cluster, CA))
      expect([lastWrite, isPromoted || accepts(started, server)]).toEqual([lastWrite, true])
      expect([lastWrite, accepts(client, server), accepts(server, client)]).toEqual([lastWrite, true, true])
      await cluster.replica().rotate()
      await cluster.clock.advance(15 * DAY_MS)
      await cluster.replica().rotate()
      const after = [await data(cluster, SERVER), await data(cluster, CLIENT)] as const
      expect([lastWrite, accepts(after[1], after[0]), accepts(after[0], after[1])]).toEqual([lastWrite, true, true])
      expect((await cluster.replica().rotate()).written).toEqual([])
    }
    expect(interrupted).toBeGreaterThan(5)
  }, 60_000)
})

describe('a lost authority', () => {
  test.for([
    { what: 'deleted', lose: (cluster: AuthorityCluster) => cluster.remove(CA) },
    { what: 'damaged', lose: (cluster: AuthorityCluster) => cluster.change(CA, { 'current.key': 'half a key' }) },
  ])('that was $what is replaced without a certificate that kube-scheduler does not accept', async ({ lose }) => {
    const cluster = await startAuthorityCluster()
    await cluster.replica().rotate()
    const [server, started] = [await data(cluster, SERVER), await data(cluster, CLIENT)]
    await lose(cluster)
    const replica = cluster.replica()
    expect((await replica.rotate()).written).toEqual([CA, SERVER, CLIENT, CA])
    expect((await data(cluster, SERVER))['tls.crt']).toBe(server['tls.crt'])
    expect(await bundleSize(cluster, CLIENT)).toBe(2)
    const restarted = await data(cluster, CLIENT)
    await cluster.clock.advance(13 * DAY_MS)
    await replica.rotate()
    expect(accepts(started, await data(cluster, SERVER))).toBe(true)
    await cluster.clock.advance(2 * DAY_MS)
    await replica.rotate()
    const after = await data(cluster, SERVER)
    expect([after['tls.crt'] === server['tls.crt'], accepts(restarted, after)]).toEqual([false, true])
    expect(accepts(after, await data(cluster, CLIENT))).toBe(true)
  })

  test('whose certificates are about to expire is replaced at once', async () => {
    const cluster = await startAuthorityCluster()
    await cluster.replica().rotate()
    await cluster.remove(CA)
    await cluster.clock.advance(26 * DAY_MS)
    const replica = cluster.replica()
    await replica.rotate()
    await replica.rotate()
    const [server, client] = [await data(cluster, SERVER), await data(cluster, CLIENT)]
    expect([accepts(client, server), accepts(server, client)]).toEqual([true, true])
    expect(expiryMs(server)).toBeGreaterThan(cluster.clock.now() + 29 * DAY_MS)
  })
})

describe('a wrong clock', () => {
  test('that was ahead leaves no certificate that is not valid yet', async () => {
    const cluster = await startAuthorityCluster()
    await cluster.replica({ clockErrorMs: 400 * DAY_MS }).rotate()
    await cluster.replica().rotate()
    const [server, client] = [await data(cluster, SERVER), await data(cluster, CLIENT)]
    for (const one of [server, client]) {
      expect(new X509Certificate(one['tls.crt'] ?? '').validFromDate.getTime()).toBeLessThan(cluster.clock.now())
    }
    expect([accepts(client, server), accepts(server, client)]).toEqual([true, true])
  })

  test('that is half an hour behind that of the last process writes nothing', async () => {
    const cluster = await startAuthorityCluster()
    await cluster.replica().rotate()
    expect((await cluster.replica({ clockErrorMs: -DAY_MS / 48 }).rotate()).written).toEqual([])
  })
})

describe('two processes at a time', () => {
  test('end with one authority, which issued both certificates', async () => {
    const cluster = await startAuthorityCluster()
    const replicas = [cluster.replica(), cluster.replica(), cluster.replica()]
    await Promise.all(replicas.map((replica) => replica.rotate()))
    await cluster.clock.advance(21 * DAY_MS)
    await Promise.all(replicas.map((replica) => replica.rotate()))
    const [server, client] = [await data(cluster, SERVER), await data(cluster, CLIENT)]
    expect([accepts(client, server), accepts(server, client)]).toEqual([true, true])
    for (const replica of replicas) expect((await replica.rotate()).written).toEqual([])
  })

  test('a process whose writes another one overtook reads again, and keeps what that one issued', async () => {
    const cluster = await startAuthorityCluster()
    const [slow, fast] = [cluster.replica(), cluster.replica()]
    await slow.rotate()
    await cluster.clock.advance(21 * DAY_MS)
    let overtaken: readonly string[] = []
    cluster.intercept(async ({ method }) => {
      if (method !== 'PUT' || overtaken.length > 0) return
      overtaken = ['pending']
      overtaken = (await fast.rotate()).written
    })
    expect((await slow.rotate()).written).toEqual([])
    expect(overtaken).toEqual([SERVER, CLIENT])
  })
})

describe('certificates of another authority, copied into the Secrets', () => {
  test('stay in use until the roll to the own authority ends, so that a switch leaves no gap', async () => {
    const cluster = await startAuthorityCluster({ clientUsesHostFiles: true })
    const validity = { nowMs: cluster.clock.now(), lifetimeMs: 3_650 * DAY_MS }
    const [serverCa, clientCa] = [await createAuthority(validity), await createAuthority(validity)]
    const names = { dnsNames: [], ipAddresses: [] }
    const server = await issueLeaf(serverCa, { usage: 'server', commonName: 'berth-extender', ...names }, validity)
    const client = await issueLeaf(clientCa, { usage: 'client', commonName: 'kube-scheduler', ...names }, validity)
    await cluster.change(SERVER, { 'ca.crt': clientCa.cert, 'tls.crt': server.cert, 'tls.key': server.key })
    await cluster.change(CLIENT, { 'ca.crt': serverCa.cert, 'tls.crt': client.cert, 'tls.key': client.key })
    // A kube-scheduler whose files are those of before, and then those of the first day, with which it was restarted.
    const before = await data(cluster, CLIENT)
    const replica = cluster.replica()
    await replica.rotate()
    const copied = await data(cluster, CLIENT)
    for (let day = 0; day < 14; day += 1) {
      const serving = await data(cluster, SERVER)
      expect([day, accepts(before, serving), accepts(serving, before)]).toEqual([day, true, true])
      await cluster.clock.advance(DAY_MS)
      await replica.rotate()
    }
    await cluster.clock.advance(DAY_MS)
    await replica.rotate()
    const after = await data(cluster, SERVER)
    expect([accepts(before, after), accepts(copied, after), accepts(after, copied)]).toEqual([false, true, true])
    // The authority of the other side was never trusted, and is forgotten in the end.
    expect(after['ca.crt']).not.toContain(serverCa.cert.trim())
    await cluster.clock.advance(91 * DAY_MS)
    await replica.rotate()
    expect([await bundleSize(cluster, SERVER), await bundleSize(cluster, CLIENT)]).toEqual([1, 1])
  })
})
