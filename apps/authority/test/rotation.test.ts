import { X509Certificate } from 'node:crypto'
import type { KubernetesObject } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { pemCertificates } from '@berth/process/certificates'
import { handshake, tlsSide } from '@berth/testing'
import type { Config } from '../src/config.ts'
import { startAuthorityCluster, type AuthorityCluster } from './authority-cluster.ts'

const DAY_MS = 86_400_000
const [CA, SERVER, CLIENT] = ['berth-authority-ca', 'berth-authority-server', 'berth-authority-client'] as const
const ALL = [CA, SERVER, CLIENT]

async function all(cluster: AuthorityCluster) {
  const [ca, server, client] = await Promise.all(ALL.map((name) => cluster.data(name)))
  return { ca, server, client }
}

function leaf(data: Readonly<Record<string, string>> | undefined): X509Certificate {
  return new X509Certificate(data?.['tls.crt'] ?? '')
}

/** Whether a certificate is signed by one of the authorities that the other side trusts. */
function trusts(verifier: Readonly<Record<string, string>> | undefined, one: typeof verifier): boolean {
  return pemCertificates(verifier?.['ca.crt'] ?? '').some(({ publicKey }) => leaf(one).verify(publicKey))
}

describe('the first rotation', () => {
  test('issues certificates for one use each, which the two sides accept', async () => {
    const cluster = await startAuthorityCluster({ serverNames: ['localhost', 'berth-extender.berth-system.svc'] })
    // TLS compares dates with the clock of this machine.
    await cluster.clock.advance(Date.now() - cluster.clock.now())
    const { written } = await cluster.replica().rotate()
    expect(written).toEqual(ALL)
    const { ca, server, client } = await all(cluster)
    const [left, right] = [tlsSide(server), tlsSide(client)]
    expect(await handshake(left, right)).toBe('welcome')
    for (const [first, second] of [
      [left, { ca: right.ca }],
      [right, left],
      [left, left],
      [right, right],
    ] as const) {
      expect(await handshake(first, second)).not.toBe('welcome')
    }
    expect(leaf(server).keyUsage).toEqual(['1.3.6.1.5.5.7.3.1'])
    expect(leaf(client).keyUsage).toEqual(['1.3.6.1.5.5.7.3.2'])
    expect(leaf(server).checkHost('berth-extender.berth-system.svc')).toBeDefined()
    expect(leaf(server).checkIP('127.0.0.1')).toBe('127.0.0.1')
    expect(leaf(client).subject).toBe('CN=kube-scheduler')
    const days = (leaf(server).validToDate.getTime() - cluster.clock.now()) / DAY_MS
    expect(Math.round(days)).toBe(30)
    const authority = new X509Certificate(ca?.['current.crt'] ?? '')
    expect([authority.ca, Math.round((authority.validToDate.getTime() - cluster.clock.now()) / DAY_MS)]).toEqual([
      true,
      365,
    ])
  })

  test('keeps the key of the authority in its own Secret only', async () => {
    const cluster = await startAuthorityCluster()
    await cluster.replica().rotate()
    const { ca, server, client } = await all(cluster)
    expect(ca?.['current.key']).toContain('PRIVATE KEY')
    for (const data of [server, client]) {
      expect(Object.keys(data ?? {}).toSorted()).toEqual(['ca.crt', 'tls.crt', 'tls.key'])
      expect(JSON.stringify(data)).not.toContain(JSON.stringify(ca?.['current.key']).slice(1, -1))
    }
  })

  test('makes the ConfigMap of the installation the owner of the Secrets, so that an uninstall deletes them', async () => {
    const cluster = await startAuthorityCluster({ ownerConfigMap: 'berth-authority' })
    const configMaps = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true }
    const metadata = { namespace: 'berth-system', name: 'berth-authority' }
    const owner: KubernetesObject = await cluster.client.create<KubernetesObject>(configMaps, { metadata })
    await cluster.replica().rotate()
    for (const name of ALL) {
      const secret = await cluster.client.get(
        { ...configMaps, plural: 'secrets', kind: 'Secret' },
        { ...metadata, name },
      )
      expect(secret.metadata?.ownerReferences).toEqual([
        { apiVersion: 'v1', kind: 'ConfigMap', name: 'berth-authority', uid: owner.metadata?.uid },
      ])
    }
  })
})

describe('certificates of server and client', () => {
  test('are not written while nothing is due, and renewed after two thirds of their lifetime under the same authority', async () => {
    const cluster = await startAuthorityCluster()
    const replica = cluster.replica()
    await replica.rotate()
    const first = await all(cluster)
    await cluster.clock.advance(19 * DAY_MS)
    expect((await replica.rotate()).written).toEqual([])
    await cluster.clock.advance(2 * DAY_MS)
    expect((await replica.rotate()).written).toEqual([SERVER, CLIENT])
    const second = await all(cluster)
    expect(second.ca).toEqual(first.ca)
    expect(second.server?.['ca.crt']).toBe(first.server?.['ca.crt'])
    expect(leaf(second.server).serialNumber).not.toBe(leaf(first.server).serialNumber)
    // Either side may have read its files before the other.
    expect([trusts(first.client, second.server), trusts(second.client, first.server)]).toEqual([true, true])
  })

  test('the certificate of a client with host files has a lifetime of its own', async () => {
    const cluster = await startAuthorityCluster({ clientUsesHostFiles: true })
    await cluster.replica().rotate()
    const { server, client } = await all(cluster)
    const days = [server, client].map((data) =>
      Math.round((leaf(data).validToDate.getTime() - cluster.clock.now()) / DAY_MS),
    )
    expect(days).toEqual([30, 90])
  })

  test.for([
    { what: 'is damaged', change: { 'tls.crt': '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n' } },
    { what: 'has a damaged key', change: { 'tls.key': 'half a key' } },
    { what: 'is empty', change: { 'tls.crt': '', 'tls.key': '' } },
  ])('a certificate that $what is replaced', async ({ change }) => {
    const cluster = await startAuthorityCluster()
    const replica = cluster.replica()
    await replica.rotate()
    await cluster.change(SERVER, change)
    expect((await replica.rotate()).written).toEqual([SERVER])
    const { server, client } = await all(cluster)
    expect(trusts(client, server)).toBe(true)
    expect((await replica.rotate()).written).toEqual([])
  })

  test('a certificate whose names are no longer those of the configuration is replaced', async () => {
    const cluster = await startAuthorityCluster()
    await cluster.replica().rotate()
    const other = await startAuthorityCluster({ serverNames: ['localhost', 'other'] })
    for (const name of ALL) await other.change(name, (await cluster.data(name)) ?? {})
    expect((await other.replica().rotate()).written).toEqual([SERVER])
    expect(leaf(await other.data(SERVER)).checkHost('other')).toBe('other')
  })

  test.for<{ readonly what: string; readonly keys: Partial<Config> }>([
    { what: 'an IPv6 address', keys: { serverAddresses: ['::1', '2001:DB8::0:1'] } },
    { what: 'a name that is not ASCII', keys: { serverNames: ['b', 'a', 'Ä.example'] } },
    { what: 'a common name with special characters', keys: { serverName: 'a, b=c+"d"' } },
  ])('a certificate with $what is not replaced while nothing is due', async ({ keys }) => {
    const cluster = await startAuthorityCluster(keys)
    const replica = cluster.replica()
    expect((await replica.rotate()).written).toEqual(ALL)
    expect((await replica.rotate()).written).toEqual([])
  })

  test('an authority that another writer added to a bundle is removed', async () => {
    const cluster = await startAuthorityCluster()
    const foreign = await startAuthorityCluster()
    await cluster.replica().rotate()
    await foreign.replica().rotate()
    const [own, added] = [await cluster.data(SERVER), await foreign.data(SERVER)]
    await cluster.change(SERVER, { 'ca.crt': `${own?.['ca.crt']}${added?.['ca.crt']}` })
    await cluster.replica().rotate()
    expect((await cluster.data(SERVER))?.['ca.crt']).toBe(own?.['ca.crt'])
  })

  test.for(ALL)('a deleted Secret is restored by the running process: %s', async (name) => {
    const cluster = await startAuthorityCluster()
    const replica = cluster.replica()
    await replica.rotate()
    const before = await all(cluster)
    await cluster.remove(name)
    await replica.rotate()
    await replica.rotate()
    const after = await all(cluster)
    expect(after.ca).toEqual(before.ca)
    expect([trusts(after.client, after.server), trusts(after.server, after.client)]).toEqual([true, true])
  })
})
