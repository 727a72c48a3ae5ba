import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generate } from 'selfsigned'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { resourceRefs } from '@berth/k8s-client'
import { testCluster, type TestCluster } from './test-cluster.ts'

const secrets = { ...resourceRefs.configMaps, plural: 'secrets', kind: 'Secret' }

async function newKeys(name: string): Promise<Readonly<Record<string, string>>> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: name }], { keySize: 2048 })
  return { 'ca.crt': cert, 'tls.crt': cert, 'tls.key': key }
}

describe('kubectl berth wire --renew', () => {
  let dir = ''
  let cluster: TestCluster
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'berth-renew-'))
    cluster = testCluster()
  })
  afterEach(() => rmSync(dir, { recursive: true }))

  async function store(data: Readonly<Record<string, string>>): Promise<void> {
    const metadata = { namespace: 'default', name: 'client' }
    await cluster.client.delete(secrets, metadata)
    const encoded = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')])
    await cluster.create(secrets, { metadata, data: Object.fromEntries(encoded) } as never)
  }
  const renew = (): Promise<string> => cluster.run('wire', '--renew', 'default/client', '--tls-dir', `${dir}/`)
  const files = () =>
    Object.fromEntries(['ca.crt', 'tls.crt', 'tls.key'].map((name) => [name, readFileSync(join(dir, name), 'utf8')]))

  test('writes the files, the key only for its owner, and says that kube-scheduler must read new authorities', async () => {
    const first = await newKeys('kube-scheduler')
    await store(first)
    expect(await renew()).toMatch(/^Wrote ca\.crt, tls\.key, tls\.crt in \S+, valid until 20\d\d-\S+Z\.$/m)
    expect(files()).toEqual(first)
    expect(statSync(join(dir, 'tls.key')).mode & 0o777).toBe(0o600)
    expect(cluster.terminal.notes()).toContain('Restart kube-scheduler')
  })

  test('under the same authority, it replaces certificate and key without a restart; without a change, it writes nothing', async () => {
    const first = await newKeys('kube-scheduler')
    await store(first)
    await renew()
    const before = cluster.terminal.notes().length
    const renewed = { ...(await newKeys('kube-scheduler')), 'ca.crt': first['ca.crt'] ?? '' }
    await store(renewed)
    expect(await renew()).toContain('Wrote tls.key, tls.crt in')
    expect(files()).toEqual(renewed)
    const { mtimeMs } = statSync(join(dir, 'tls.crt'))
    expect(await renew()).toContain('is up to date, valid until')
    expect(statSync(join(dir, 'tls.crt')).mtimeMs).toBe(mtimeMs)
    expect(cluster.terminal.notes().slice(before)).not.toContain('Restart')
  })

  test('a key file that others may read gets mode 0600', async () => {
    writeFileSync(join(dir, 'tls.key'), 'old', { mode: 0o644 })
    await store(await newKeys('kube-scheduler'))
    await renew()
    expect(statSync(join(dir, 'tls.key')).mode & 0o777).toBe(0o600)
  })

  test.for([
    { what: 'without a certificate', change: { 'tls.crt': '' } },
    { what: 'with the key of another certificate', change: { 'tls.key': 'other' } },
    { what: 'without authorities', change: { 'ca.crt': '' } },
  ])('refuses a Secret $what and changes no file', async ({ change }) => {
    const first = await newKeys('kube-scheduler')
    await store(first)
    await renew()
    await store(Object.assign({ ...(await newKeys('kube-scheduler')) }, change))
    await expect(renew()).rejects.toThrow('it does not hold a certificate with its key and its authorities')
    expect(files()).toEqual(first)
  })

  test.for(['client', 'a/b/c', '/client'])('refuses the name %s', async (place) => {
    await expect(cluster.run('wire', '--renew', place)).rejects.toThrow('expected NAMESPACE/SECRET')
  })

  test('names the directory that it cannot write into', async () => {
    await store(await newKeys('kube-scheduler'))
    await expect(cluster.run('wire', '--renew', 'default/client', '--tls-dir', join(dir, 'none'))).rejects.toThrow(
      /write into \S+none: /,
    )
  })
})
